import { depthOf, halvedOf, type Holed } from './picture.ts'
import { searchMatches, startMatches, type Matches } from './patch-match.ts'
import { spread } from './spread.ts'
import { adjust, vote } from './vote.ts'

/** Holes' pixels that matches are still searched for: above, those of the smaller picture are taken over. */
const mostSearched = 40_000

/** Whether what holes hold already is a good beginning. */
interface Wish {
  readonly isBegun?: boolean
}

/**
 * Fills holes with what the picture shows elsewhere, from coarse to fine, so that every small square of the filled
 * part looks like one of the known part (Wexler, Shechtman and Irani), found as Barnes and others do, and lifted to
 * the brightness that surroundings suggest (as Darabi and others do). In place; the same picture is always filled
 * alike. Smooth where nothing around may serve.
 */
export function fillByExample(picture: Holed, { isBegun = false }: Wish = {}): void {
  const levels = [picture]
  for (let last = picture; isDeep(last) && levels.length < (isBegun ? 3 : 9);) {
    last = isBegun ? begunHalf(last) : halvedOf(last)
    levels.push(last)
  }
  let before: { matches: Matches; width: number } | undefined
  for (let level = levels.length - 1; level >= 0; level -= 1) {
    const here = levels[level]
    if (!here) continue
    const depth = depthOf(here)
    if (!before && !isBegun) smooth(here)
    const matches = startMatches(here, before)
    if (!matches) {
      smooth(here)
      continue
    }
    const below = levels[level + 1]
    if (before && below) takeOver(here, below)
    const isLarge = matches.targets.length > mostSearched
    const rounds = isLarge ? 1 : Math.max(2, Math.min(8, 2 + 2 * level))
    // What was found smaller is looked at first, at this size.
    if (before) vote(here, matches, depth)
    for (let round = 0; round < rounds; round += 1) {
      searchMatches(here, matches, { round, isWide: !isLarge && round < 3 })
      vote(here, matches, depth)
    }
    if (level === 0) adjust(here, matches, depth)
    before = { matches, width: here.width }
  }
}

/** Halves a picture whose holes hold something. */
function begunHalf(picture: Holed): Holed {
  const { pixels } = halvedOf({ ...picture, hole: new Uint8Array(picture.hole.length) })
  return { ...halvedOf(picture), pixels }
}

/** Tells whether a hole is wider than the squares that are compared, in a picture large enough to be halved. */
function isDeep(picture: Holed): boolean {
  if (Math.min(picture.width, picture.height) < 32) return false
  return depthOf(picture).some((steps) => steps > 3)
}

/** Begins with what was filled in at half the size. */
function takeOver({ width, pixels, hole }: Holed, half: Holed): void {
  for (let at = hole.indexOf(1); at >= 0; at = hole.indexOf(1, at + 1)) {
    const x = Math.min(half.width - 1, (at % width) >> 1)
    const y = Math.min(half.height - 1, Math.floor(at / width) >> 1)
    const from = (y * half.width + x) * 3
    pixels.set(half.pixels.subarray(from, from + 3), at * 3)
  }
}

/** Fills holes as smoothly as can be. */
export function smooth({ width, height, pixels, hole }: Holed): void {
  const weights = Float32Array.from(hole, (is) => (is === 1 ? 0 : 1000))
  for (let channel = 0; channel < 3; channel += 1) {
    const values = Float32Array.from(hole, (is, at) => (is === 1 ? 0 : (pixels[at * 3 + channel] ?? 0)))
    spread(values, weights, { columns: width, rows: height })
    for (let at = 0; at < hole.length; at += 1) {
      if (hole[at] === 1) pixels[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(values[at] ?? 0)))
    }
  }
}
