import { radius, type Matches } from './patch-match.ts'
import type { Holed } from './picture.ts'

/** Each hole's pixel becomes the mean of what the squares over it show there; squares that are alike, and near what is known, count more. */
export function vote(
  { width, height, pixels, hole }: Holed,
  { targets, source, cost }: Matches,
  depth: Uint8Array,
): void {
  const spreadOf = Math.max(600, percentile(cost, targets, 0.6))
  const sums = new Float32Array(hole.length * 4)
  for (const at of targets) {
    const from = source[at] ?? 0
    const unlike = cost[at] ?? 0
    const weight =
      unlike === 2 ** 31 - 1 ? 1 : Math.exp(-unlike / spreadOf) * 1.2 ** -Math.min(40, depth[at] ?? 0) + 1e-12
    for (let row = -radius; row <= radius; row += 1) {
      let to = at + row * width - radius
      let out = (from + row * width - radius) * 3
      for (const end = to + 2 * radius; to <= end; to += 1, out += 3) {
        if (hole[to] !== 1) continue
        sums[to * 4] = (sums[to * 4] ?? 0) + weight * (pixels[out] ?? 0)
        sums[to * 4 + 1] = (sums[to * 4 + 1] ?? 0) + weight * (pixels[out + 1] ?? 0)
        sums[to * 4 + 2] = (sums[to * 4 + 2] ?? 0) + weight * (pixels[out + 2] ?? 0)
        sums[to * 4 + 3] = (sums[to * 4 + 3] ?? 0) + weight
      }
    }
  }
  for (let at = 0; at < width * height; at += 1) {
    const all = sums[at * 4 + 3] ?? 0
    if (all === 0 || hole[at] !== 1) continue
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[at * 3 + channel] = (sums[at * 4 + channel] ?? 0) / all + 0.5
    }
  }
}

function percentile(cost: Int32Array, targets: Int32Array, share: number): number {
  const some = targets.filter((_, index) => index % 7 === 0).map((at) => cost[at] ?? 0)
  return some.toSorted((one, other) => one - other)[Math.floor(some.length * share)] ?? 0
}
