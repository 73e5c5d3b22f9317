import { halveImage, holeDepth, type HoledImage } from './holed-image.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'
import {
  improveMatches,
  initMatches,
  meanOffset,
  type SquareMatches,
  squareMeans,
  squareRadius,
} from './patch-match.ts'

/** Limit of hole pixels for a full search. Above it, matches of the coarser level are only refined. */
const maxSearchedPixels = 40_000

/** Options of `fillByExemplar`: whether the hole contains a usable first estimate. */
interface ExemplarFillOptions {
  readonly hasInitialGuess?: boolean
}

/**
 * Fills holes by exemplar-based synthesis, coarse to fine, in place: every window of the filled part should resemble a
 * window of the known part (Wexler, Shechtman and Irani, 2007). Windows are found by PatchMatch (Barnes 2009) with
 * brightness offsets (Darabi 2012). Deterministic. Fills smoothly where no window is known.
 */
export function fillByExemplar(
  picture: HoledImage,
  { hasInitialGuess = false }: ExemplarFillOptions = {},
): void {
  const levels = [picture]
  for (let last = picture; isWorthHalving(last) && levels.length < (hasInitialGuess ? 3 : 9);) {
    last = hasInitialGuess ? halveGuess(last) : halveImage(last)
    levels.push(last)
  }
  let before: { matches: SquareMatches; width: number } | undefined
  for (let level = levels.length - 1; level >= 0; level -= 1) {
    const current = levels[level]
    if (!current) continue
    const depth = holeDepth(current)
    if (!before && !hasInitialGuess) fillSmoothly(current)
    const matches = initMatches(current, before)
    if (!matches) {
      fillSmoothly(current)
      continue
    }
    const coarser = levels[level + 1]
    if (before && coarser) upsampleHoles(current, coarser)
    const isLarge = matches.targets.length > maxSearchedPixels
    const rounds = isLarge ? 1 : Math.max(2, Math.min(8, 2 + 2 * level))
    // Vote with the upsampled matches before searching at this size.
    if (before) voteColours(current, matches, depth)
    for (let round = 0; round < rounds; round += 1) {
      improveMatches(current, matches, { round, isWide: !isLarge && round < 3 })
      voteColours(current, matches, depth)
    }
    if (level === 0) matchBoundary(current, matches, depth)
    before = { matches, width: current.width }
  }
}

/** Halves an image including the first estimate in its holes. */
function halveGuess(picture: HoledImage): HoledImage {
  const { pixels } = halveImage({ ...picture, hole: new Uint8Array(picture.hole.length) })
  return { ...halveImage(picture), pixels }
}

/** Whether the deepest hole exceeds the window radius and the image is large enough to be halved. */
function isWorthHalving(picture: HoledImage): boolean {
  if (Math.min(picture.width, picture.height) < 32) return false
  return holeDepth(picture).some((steps) => steps > 3)
}

/** Initializes holes with the fill of the level at half the size. */
function upsampleHoles({ width, pixels, hole }: HoledImage, half: HoledImage): void {
  for (let at = hole.indexOf(1); at >= 0; at = hole.indexOf(1, at + 1)) {
    const x = Math.min(half.width - 1, (at % width) >> 1)
    const y = Math.min(half.height - 1, Math.floor(at / width) >> 1)
    const from = (y * half.width + x) * 3
    pixels.set(half.pixels.subarray(from, from + 3), at * 3)
  }
}

/** Fills holes by membrane interpolation, per channel, in place. */
function fillSmoothly({ width, height, pixels, hole }: HoledImage): void {
  const weights = Float32Array.from(hole, (is) => (is === 1 ? 0 : 1000))
  for (let channel = 0; channel < 3; channel += 1) {
    const values = Float32Array.from(hole, (is, at) => (is === 1 ? 0 : (pixels[at * 3 + channel] ?? 0)))
    interpolateMembrane(values, weights, { columns: width, rows: height })
    for (let at = 0; at < hole.length; at += 1) {
      if (hole[at] === 1) pixels[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(values[at] ?? 0)))
    }
  }
}

/**
 * Replaces each hole pixel by the weighted mean of what overlapping windows show there. Similar windows and windows
 * near known pixels have a larger weight.
 */
function voteColours(picture: HoledImage, matches: SquareMatches, depth: Uint8Array): void {
  const { pixels, hole } = picture
  const sums = countVotes(picture, matches, { depth, isWanted: hole })
  for (let at = 0; at < hole.length; at += 1) {
    const all = sums[at * 4 + 3] ?? 0
    if (all === 0 || hole[at] !== 1) continue
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[at * 3 + channel] = Math.min(255, Math.max(0, (sums[at * 4 + channel] ?? 0) / all + 0.5))
    }
  }
}

/** Membrane weight of the difference at the boundary of a hole. */
const boundaryWeight = 0.3

/**
 * Adds the difference between known pixels and votes at the boundary of holes, interpolated smoothly over the holes, in
 * place.
 */
function matchBoundary(picture: HoledImage, matches: SquareMatches, depth: Uint8Array): void {
  const { width, height, pixels, hole } = picture
  const sums = countVotes(picture, matches, { depth, isWanted: new Uint8Array(hole.length).fill(1) })
  const weights = Float32Array.from(hole, (is, at) =>
    is === 1 || sums[at * 4 + 3] === 0 ? 0 : boundaryWeight,
  )
  for (let channel = 0; channel < 3; channel += 1) {
    const apart = Float32Array.from(weights, (weight, at) =>
      weight === 0
        ? 0
        : (pixels[at * 3 + channel] ?? 0) - (sums[at * 4 + channel] ?? 0) / (sums[at * 4 + 3] ?? 1),
    )
    interpolateMembrane(apart, weights, { columns: width, rows: height })
    for (let at = hole.indexOf(1); at >= 0; at = hole.indexOf(1, at + 1)) {
      const value = (pixels[at * 3 + channel] ?? 0) + (apart[at] ?? 0)
      pixels[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(value)))
    }
  }
}

/** Returns per pixel: weighted sums of three channels and the sum of weights. Only wanted pixels are computed. */
function countVotes(
  { width, height, pixels, hole }: HoledImage,
  { targets, source, cost }: SquareMatches,
  { depth, isWanted }: Record<'depth' | 'isWanted', Uint8Array>,
): Float32Array {
  const spreadOf = Math.max(600, percentile(cost, targets, 0.6))
  const sums = new Float32Array(hole.length * 4)
  const means = squareMeans({ width, height, pixels })
  for (const at of targets) {
    const from = source[at] ?? 0
    const unlike = cost[at] ?? 0
    const weight =
      unlike === 2 ** 31 - 1 ? 1 : Math.exp(-unlike / spreadOf) * 1.2 ** -Math.min(40, depth[at] ?? 0) + 1e-12
    const [first, second, third] = [
      meanOffset(means, at * 3, from * 3),
      meanOffset(means, at * 3 + 1, from * 3 + 1),
      meanOffset(means, at * 3 + 2, from * 3 + 2),
    ]
    for (let row = -squareRadius; row <= squareRadius; row += 1) {
      let to = at + row * width - squareRadius
      let out = (from + row * width - squareRadius) * 3
      for (const end = to + 2 * squareRadius; to <= end; to += 1, out += 3) {
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
