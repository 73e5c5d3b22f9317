import fc from 'fast-check'
import { expect, it } from 'vitest'
import { boundedRegions } from './bounded-regions.ts'
import type { FoundText } from './text.ts'

/** A text that shows so many frames in so many regions. */
interface Shown {
  readonly score: number
  readonly frames: number
  readonly count: number
}

function textOf({ score, frames }: Shown): FoundText {
  const box = { left: 0, top: 0, right: 1, bottom: 1 }
  const about = { moving: false, seen: 3, sampled: 0, edges: 4 }
  return { ...about, boxAt: () => box, first: 0, last: frames - 1, score }
}

/** What is held of texts, each region by the place of its text. */
function held(shown: readonly Shown[], most: number) {
  const texts = shown.map(textOf)
  const regionsOf = (text: FoundText) => {
    const place = texts.indexOf(text)
    const region = { x: place, y: 0, w: 1, h: 1, start: 0, end: 1, score: text.score }
    return Array.from({ length: shown[place]?.count ?? 0 }, () => region)
  }
  const { regions, left } = boundedRegions(texts, { regionsOf, most })
  return { places: regions.map(({ x }) => x), left }
}

it('a ticker does not push out lines of speech, however sure it is', () => {
  const ticker = { score: 0.9, frames: 600, count: 600 }
  const line = { score: 0.85, frames: 50, count: 1 }
  const { places, left } = held(
    [...Array.from({ length: 40 }, () => ticker), ...Array.from({ length: 300 }, () => line)],
    1000,
  )
  expect(places.filter((place) => place >= 40)).toHaveLength(300)
  expect(places.filter((place) => place < 40)).toHaveLength(600)
  expect(left).toBe(39 * 600)
})

it('each text stays or goes whole and in its place, never more than may be, none without need', () => {
  const shown = fc.record({
    score: fc.double({ min: 0.1, max: 1, noNaN: true }),
    frames: fc.integer({ min: 1, max: 100 }),
    count: fc.integer({ min: 0, max: 20 }),
  })
  fc.assert(
    fc.property(fc.array(shown, { maxLength: 20 }), fc.integer({ min: 0, max: 100 }), (texts, most) => {
      const { places, left } = held(texts, most)
      const all = texts.flatMap(({ count }, place) => Array.from({ length: count }, () => place))
      expect(places).toEqual(all.filter((place) => places.includes(place)))
      expect(places.length).toBeLessThanOrEqual(most)
      expect(left).toBe(all.length - places.length)
      for (const [place, { count }] of texts.entries())
        if (count > 0 && !places.includes(place)) expect(places.length + count).toBeGreaterThan(most)
    }),
  )
})
