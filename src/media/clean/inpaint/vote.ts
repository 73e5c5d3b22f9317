import type { Matches } from './patch-match.ts'
import type { Holed } from './picture.ts'
import { spread } from './spread.ts'
import { liftOf, meansOf, radius } from './squares.ts'

/**
 * Each hole's pixel becomes the mean of what the squares over it show there; squares that are alike, and near what is
 * known, count more.
 */
export function vote(picture: Holed, matches: Matches, depth: Uint8Array): void {
  const { pixels, hole } = picture
  const sums = votesOf(picture, matches, { depth, isWanted: hole })
  for (let at = 0; at < hole.length; at += 1) {
    const all = sums[at * 4 + 3] ?? 0
    if (all === 0 || hole[at] !== 1) continue
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[at * 3 + channel] = Math.min(255, Math.max(0, (sums[at * 4 + channel] ?? 0) / all + 0.5))
    }
  }
}

/** How firmly what squares show beside a hole holds what they show in it. */
const besides = 0.3

/** Adds to what was voted for what the same squares differ by from what is known beside the holes, smoothly. */
export function adjust(picture: Holed, matches: Matches, depth: Uint8Array): void {
  const { width, height, pixels, hole } = picture
  const sums = votesOf(picture, matches, { depth, isWanted: new Uint8Array(hole.length).fill(1) })
  const weights = Float32Array.from(hole, (is, at) => (is === 1 || sums[at * 4 + 3] === 0 ? 0 : besides))
  for (let channel = 0; channel < 3; channel += 1) {
    const apart = Float32Array.from(weights, (weight, at) =>
      weight === 0
        ? 0
        : (pixels[at * 3 + channel] ?? 0) - (sums[at * 4 + channel] ?? 0) / (sums[at * 4 + 3] ?? 1),
    )
    spread(apart, weights, { columns: width, rows: height })
    for (let at = hole.indexOf(1); at >= 0; at = hole.indexOf(1, at + 1)) {
      const value = (pixels[at * 3 + channel] ?? 0) + (apart[at] ?? 0)
      pixels[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(value)))
    }
  }
}

/** By wanted pixel: sums of what squares over it show there in each channel, and of how much they count. */
function votesOf(
  { width, height, pixels, hole }: Holed,
  { targets, source, cost }: Matches,
  { depth, isWanted }: Record<'depth' | 'isWanted', Uint8Array>,
): Float32Array {
  const spreadOf = Math.max(600, percentile(cost, targets, 0.6))
  const sums = new Float32Array(hole.length * 4)
  const means = meansOf({ width, height, pixels })
  for (const at of targets) {
    const from = source[at] ?? 0
    const unlike = cost[at] ?? 0
    const weight =
      unlike === 2 ** 31 - 1 ? 1 : Math.exp(-unlike / spreadOf) * 1.2 ** -Math.min(40, depth[at] ?? 0) + 1e-12
    const [first, second, third] = [
      liftOf(means, at * 3, from * 3),
      liftOf(means, at * 3 + 1, from * 3 + 1),
      liftOf(means, at * 3 + 2, from * 3 + 2),
    ]
    for (let row = -radius; row <= radius; row += 1) {
      let to = at + row * width - radius
      let out = (from + row * width - radius) * 3
      for (const end = to + 2 * radius; to <= end; to += 1, out += 3) {
        if (isWanted[to] === 0) continue
        sums[to * 4] = (sums[to * 4] ?? 0) + weight * ((pixels[out] ?? 0) + first)
        sums[to * 4 + 1] = (sums[to * 4 + 1] ?? 0) + weight * ((pixels[out + 1] ?? 0) + second)
        sums[to * 4 + 2] = (sums[to * 4 + 2] ?? 0) + weight * ((pixels[out + 2] ?? 0) + third)
        sums[to * 4 + 3] = (sums[to * 4 + 3] ?? 0) + weight
      }
    }
  }
  return sums
}

function percentile(cost: Int32Array, targets: Int32Array, share: number): number {
  const some = targets.filter((_, index) => index % 7 === 0).map((at) => cost[at] ?? 0)
  return some.toSorted((one, other) => one - other)[Math.floor(some.length * share)] ?? 0
}
