import type { Bounds } from '../geometry.ts'

/** A connected component: bounding box, pixel count, and sum of values. */
export interface MapComponent extends Bounds {
  readonly count: number
  readonly sum: number
  /** Sums of pixel coordinates and of their products. */
  readonly moments: { x: number; y: number; xx: number; yy: number; xy: number }
}

interface ValueMap {
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** Returns the 8-connected components of the pixels whose value is at least `least`. */
export function connectedComponents(map: ValueMap, least: number): MapComponent[] {
  const { values } = map
  const seen = new Uint8Array(values.length)
  const components: MapComponent[] = []
  for (let start = 0; start < values.length; start += 1) {
    if (seen[start] === 0 && (values[start] ?? 0) >= least)
      components.push(floodFill(start, { ...map, least, seen }))
  }
  return components
}

function floodFill(
  start: number,
  { width, height, values, least, seen }: ValueMap & { readonly least: number; readonly seen: Uint8Array },
): MapComponent {
  const moments = { x: 0, y: 0, xx: 0, yy: 0, xy: 0 }
  const component = { left: width, top: height, right: 0, bottom: 0, count: 0, sum: 0, moments }
  const pending = [start]
  seen[start] = 1
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const x = at % width
    const y = (at - x) / width
    component.left = Math.min(component.left, x)
    component.right = Math.max(component.right, x + 1)
    component.top = Math.min(component.top, y)
    component.bottom = Math.max(component.bottom, y + 1)
    component.count += 1
    component.sum += values[at] ?? 0
    moments.x += x
    moments.y += y
    moments.xx += x * x
    moments.yy += y * y
    moments.xy += x * y
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1) {
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
        const next = row * width + column
        if (seen[next] === 1 || (values[next] ?? 0) < least) continue
        seen[next] = 1
        pending.push(next)
      }
    }
  }
  return component
}
