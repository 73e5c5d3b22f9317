import type { IndexRange } from '../speech/align.ts'
import type { TimeSpan } from '../speech/speech-types.ts'

/** Lengths of clips, seconds. */
export interface LengthBounds {
  readonly min: number
  readonly max: number
}

/** What a request says about the lengths of clips. */
export type LengthPreference = 'auto' | 'short' | 'medium' | 'long'

/** Lengths by preference, seconds; docs/contract.md states them. */
const preferredLengths: Readonly<Record<LengthPreference, LengthBounds>> = {
  auto: { min: 15, max: 180 },
  short: { min: 15, max: 45 },
  medium: { min: 45, max: 120 },
  long: { min: 120, max: 600 },
}

/** Returns the bounds of a preference. `maxSeconds` takes precedence: below the least length, half of it is the least. */
export function lengthBounds(preference: LengthPreference, maxSeconds: number): LengthBounds {
  const { min, max } = preferredLengths[preference]
  return { min: min < maxSeconds ? min : maxSeconds / 2, max: Math.min(max, maxSeconds) }
}

/** Length of units from the start of the first to the end of the last, seconds. */
export function unitsLength(units: readonly TimeSpan[], { from, to }: IndexRange): number {
  return (units[to - 1]?.end ?? 0) - (units[from]?.start ?? 0)
}

/** How much longer the pause to a later unit may be than that to an earlier one, seconds: the opening should stay. */
const laterGain = 1

/**
 * Returns a range of units whose length is within the bounds: units at its end are left out, or neighbours are added,
 * later ones unless their pause is much longer. It may stay too short where no neighbour fits. Returns undefined if its
 * first unit alone is too long.
 */
export function fitLength(
  units: readonly TimeSpan[],
  { from, to }: IndexRange,
  { min, max }: LengthBounds,
): IndexRange | undefined {
  let range = { from, to }
  while (range.to > range.from && unitsLength(units, range) > max) range = { from, to: range.to - 1 }
  if (range.to === range.from) return undefined
  while (unitsLength(units, range) < min) {
    const wider = neighbours(units, range).find((next) => unitsLength(units, next) <= max)
    if (!wider) break
    range = wider
  }
  return range
}

/** A range with one more unit, on the preferred side first. */
function neighbours(units: readonly TimeSpan[], { from, to }: IndexRange): IndexRange[] {
  const pauseAfter = (index: number) => (units[index + 1]?.start ?? Infinity) - (units[index]?.end ?? 0)
  const later =
    to < units.length ? [{ range: { from, to: to + 1 }, pause: pauseAfter(to - 1) - laterGain }] : []
  const earlier = from > 0 ? [{ range: { from: from - 1, to }, pause: pauseAfter(from - 1) }] : []
  return [...later, ...earlier].toSorted((one, other) => one.pause - other.pause).map(({ range }) => range)
}
