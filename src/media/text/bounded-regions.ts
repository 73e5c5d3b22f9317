import type { FoundRegion } from '../clean/region.ts'
import type { FoundText } from './text.ts'

/** Regions of texts, and how many more there were than are held. */
export interface LimitRegionsResult {
  readonly regions: FoundRegion[]
  readonly dropped: number
}

interface LimitRegionsOptions {
  /** The earliest first. */
  readonly regionsOf: (text: FoundText) => FoundRegion[]
  readonly max: number
}

/**
 * The regions of texts, at most so many. First those stay whose regions last longest at a good score, as lines that
 * stand do, then those that need one for each step of their way; the first that does not fit stays as long as it can.
 * No more are held at once than stay and those of one text.
 */
export function limitRegions(
  texts: readonly FoundText[],
  { regionsOf, max: most }: LimitRegionsOptions,
): LimitRegionsResult {
  const ranked = texts
    .map((text) => {
      const count = regionsOf(text).length
      return { text, count, worth: (text.score * (text.last - text.first + 1)) / count }
    })
    .toSorted((one, other) => other.worth - one.worth)
  const stay = new Map<FoundText, number>()
  let [free, left] = [most, 0]
  for (const { text, count } of ranked) {
    const fitting = Math.min(count, free)
    if (fitting > 0) stay.set(text, fitting)
    free -= fitting
    left += count - fitting
  }
  const regions = texts
    .filter((text) => stay.has(text))
    .flatMap((text) => regionsOf(text).slice(0, stay.get(text)))
  return { regions, dropped: left }
}
