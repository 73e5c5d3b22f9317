import type { Holed } from './picture.ts'

/** Pixels from the middle of the squares that are compared to their edges. */
export const radius = 3

/** Pixels of a square. */
const area = (2 * radius + 1) ** 2

/** Levels by which a square is taken brighter or darker, or of another colour, than it is, at most. */
const mostLift = 24
/** Share of the differences that a lift takes away which count nevertheless: what needs none is better. */
const liftCost = 0.2

type Picture = Pick<Holed, 'width' | 'height' | 'pixels'>

/** A picture's pixels, and by pixel and channel the mean of the square around it. */
export interface Squares extends Pick<Picture, 'width' | 'pixels'> {
  readonly means: Float32Array
}

/** By pixel and channel: the mean of the square around it; 0 where that reaches out of the picture. */
export function meansOf({ width, height, pixels }: Picture): Float32Array {
  const stride = width * 3
  const along = new Float32Array(pixels.length)
  const means = new Float32Array(pixels.length)
  for (let y = 0; y < height; y += 1) {
    for (let channel = 0; channel < 3; channel += 1)
      slide(pixels, along, { first: y * stride + channel, step: 3, count: width })
  }
  for (let at = 0; at < stride; at += 1) slide(along, means, { first: at, step: stride, count: height })
  return means
}

/** The mean of what lies within the radius along a line. */
function slide(
  from: ArrayLike<number>,
  to: Float32Array,
  { first, step, count }: Record<'first' | 'step' | 'count', number>,
): void {
  const side = 2 * radius + 1
  let sum = 0
  for (let index = 0, at = first; index < count; index += 1, at += step) {
    sum += (from[at] ?? 0) - (index < side ? 0 : (from[at - side * step] ?? 0))
    if (index >= side - 1) to[at - radius * step] = sum / side
  }
}

/** What is added to a channel of a square for it to be as bright as another. */
export function liftOf(means: Float32Array, at: number, from: number): number {
  return Math.max(-mostLift, Math.min(mostLift, (means[at] ?? 0) - (means[from] ?? 0)))
}

/** Squared differences of two squares, once one is lifted to the other; some number above the limit where they are more. */
export function unlikeness(
  { width, pixels, means }: Squares,
  { at, from, limit }: Record<'at' | 'from' | 'limit', number>,
): number {
  let saved = 0
  for (let channel = 0; channel < 3; channel += 1) {
    const [one, other] = [at * 3 + channel, from * 3 + channel]
    const lift = liftOf(means, one, other)
    saved += area * (1 - liftCost) * lift * (2 * ((means[one] ?? 0) - (means[other] ?? 0)) - lift)
  }
  let sum = -saved
  let [one, other] = [(at - radius * width - radius) * 3, (from - radius * width - radius) * 3]
  for (let row = -radius; row <= radius; row += 1) {
    for (let k = 0; k < 3 * (2 * radius + 1); k += 1) {
      const apart = (pixels[one + k] ?? 0) - (pixels[other + k] ?? 0)
      sum += apart * apart
    }
    if (sum > limit) return sum
    one += width * 3
    other += width * 3
  }
  return sum
}
