import type { Frame, Patch } from './patch.ts'

/** How much of a place is treated, row by row, 0 (stays) to 255 (wholly). */
export interface Weights {
  readonly light: Uint8Array
  /** At half the size. A sample of colour is shown by four pixels, so it changes only where all four may. */
  readonly colour: Uint8Array
}

const known = new WeakMap<Patch, Weights>()

/** The weights of a place, which rise from the edge of its mask inwards; the picture's own edge is none. */
export function weightsOf(patch: Patch, frame: Pick<Frame, 'width' | 'height'>): Weights {
  const found = known.get(patch)
  if (found) return found
  const light = soften(patch, frame)
  const weights = { light, colour: halve(light, patch) }
  known.set(patch, weights)
  return weights
}

/** Width of the soft edge, pixels: narrow, as text that reaches to the edge shows through it. */
function softOf({ width, height }: Patch): number {
  return Math.max(1, Math.min(4, Math.round(Math.min(width, height) / 16)))
}

function soften(patch: Patch, frame: Pick<Frame, 'width' | 'height'>): Uint8Array {
  const soft = softOf(patch)
  const steps = Uint8Array.from({ length: soft + 2 }, (_, distance) => {
    const share = Math.min(1, distance / (soft + 1))
    return Math.round(255 * share * share * (3 - 2 * share))
  })
  return distances(patch, { most: soft + 1, frame }).map((distance) => steps[distance] ?? 255)
}

interface Measure {
  readonly most: number
  readonly frame: Pick<Frame, 'width' | 'height'>
}

/** Steps, also across corners, from each pixel to the nearest that stays as it is, at most so many. */
function distances({ x, y, width, height, mask }: Patch, { most, frame }: Measure): Uint8Array {
  // One more on each side: what lies beside the patch stays, what lies beside the picture does not count.
  const stride = width + 2
  const far = new Uint8Array(stride * (height + 2)).fill(most)
  const rim = { top: y > 0, left: x > 0, bottom: y + height < frame.height, right: x + width < frame.width }
  if (rim.top) far.fill(0, 0, stride)
  if (rim.bottom) far.fill(0, stride * (height + 1))
  for (let row = 1; row <= height; row++) {
    if (rim.left) far[row * stride] = 0
    if (rim.right) far[row * stride + width + 1] = 0
    for (let column = 1; column <= width; column++) {
      if (mask[(row - 1) * width + column - 1] === 0) far[row * stride + column] = 0
    }
  }
  const places = Array.from({ length: height }, (_, row) => (row + 1) * stride + 1)
  const before = [-1, -stride - 1, -stride, 1 - stride]
  for (const from of places) {
    for (let at = from; at < from + width; at++) relax(far, at, before)
  }
  const after = before.map((offset) => -offset)
  for (const from of places.toReversed()) {
    for (let at = from + width - 1; at >= from; at--) relax(far, at, after)
  }
  const result = new Uint8Array(width * height)
  for (const [row, from] of places.entries()) result.set(far.subarray(from, from + width), row * width)
  return result
}

function relax(far: Uint8Array, at: number, neighbours: readonly number[]): void {
  let nearest = far[at] ?? 0
  for (const offset of neighbours) nearest = Math.min(nearest, (far[at + offset] ?? 0) + 1)
  far[at] = nearest
}

function halve(light: Uint8Array, { width, height }: Patch): Uint8Array {
  const colour = new Uint8Array(light.length / 4)
  for (let row = 0, to = 0; row < height; row += 2) {
    for (let column = 0; column < width; column += 2, to++) {
      const at = row * width + column
      colour[to] = Math.min(
        light[at] ?? 0,
        light[at + 1] ?? 0,
        light[at + width] ?? 0,
        light[at + width + 1] ?? 0,
      )
    }
  }
  return colour
}
