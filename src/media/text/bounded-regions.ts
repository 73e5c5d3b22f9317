import type { FoundRegion } from '../clean/region.ts'
import type { FoundText } from './text.ts'

/** Regions of texts, and how many more there were than are held. */
export interface BoundedRegions {
  readonly regions: FoundRegion[]
  readonly left: number
}

interface Bound {
  readonly regionsOf: (text: FoundText) => FoundRegion[]
  readonly most: number
}

/**
 * The regions of texts, at most so many. A text stays or goes whole: first those stay whose regions last longest at
 * a good score, as lines that stand do, then those that need one for each step of their way. No more are held at once
 * than stay and those of one text.
 */
export function boundedRegions(texts: readonly FoundText[], { regionsOf, most }: Bound): BoundedRegions {
  const ranked = texts
    .map((text) => {
      const count = regionsOf(text).length
      return { text, count, worth: (text.score * (text.last - text.first + 1)) / count }
    })
    .toSorted((one, other) => other.worth - one.worth)
  const stays = new Set<FoundText>()
  let [held, left] = [0, 0]
  for (const { text, count } of ranked) {
    if (held + count > most) left += count
    else {
      held += count
      stays.add(text)
    }
  }
  return { regions: texts.filter((text) => stays.has(text)).flatMap(regionsOf), left }
}
