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
  const pieces: MapComponent[] = []
  for (let start = 0; start < values.length; start += 1) {
    if (seen[start] === 0 && (values[start] ?? 0) >= least)
      pieces.push(floodFill(start, { ...map, least, seen }))
  }
  return pieces
}

function floodFill(
  start: number,
  { width, height, values, least, seen }: ValueMap & { readonly least: number; readonly seen: Uint8Array },
): MapComponent {
  const moments = { x: 0, y: 0, xx: 0, yy: 0, xy: 0 }
  const piece = { left: width, top: height, right: 0, bottom: 0, count: 0, sum: 0, moments }
  const waiting = [start]
  seen[start] = 1
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const x = at % width
    const y = (at - x) / width
    piece.left = Math.min(piece.left, x)
    piece.right = Math.max(piece.right, x + 1)
    piece.top = Math.min(piece.top, y)
    piece.bottom = Math.max(piece.bottom, y + 1)
    piece.count += 1
    piece.sum += values[at] ?? 0
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
        waiting.push(next)
      }
    }
  }
  return piece
}
