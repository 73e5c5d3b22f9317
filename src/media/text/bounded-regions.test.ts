import fc from 'fast-check'
import { expect, it } from 'vitest'
import { limitRegions } from './bounded-regions.ts'
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
    return Array.from({ length: shown[place]?.count ?? 0 }, (_, start) => {
      return { x: place, y: 0, w: 1, h: 1, start, end: start + 1, score: text.score }
    })
  }
  const { regions, dropped: left } = limitRegions(texts, { regionsOf, max: most })
  return { regions: regions.map(({ x, start }) => ({ place: x, start })), left }
}

it('a ticker does not push out lines of speech, however sure it is', () => {
  const ticker = { score: 0.9, frames: 600, count: 600 }
  const line = { score: 0.85, frames: 50, count: 1 }
  const { regions, left } = held(
    [...Array.from({ length: 40 }, () => ticker), ...Array.from({ length: 300 }, () => line)],
    1000,
  )
  expect(regions.filter(({ place }) => place >= 40)).toHaveLength(300)
  expect(regions.filter(({ place }) => place === 0)).toHaveLength(600)
  expect(left).toBe(39 * 600 - 100)
})

it('a text that alone is too much stays as long as it can', () => {
  const { regions, left } = held([{ score: 0.9, frames: 600, count: 600 }], 500)
  expect(regions).toEqual(Array.from({ length: 500 }, (_, start) => ({ place: 0, start })))
  expect(left).toBe(100)
})

it('as much stays as may be, of each text the beginning and in its place; one at most stays in part', () => {
  const shown = fc.record({
    score: fc.double({ min: 0.1, max: 1, noNaN: true }),
    frames: fc.integer({ min: 1, max: 100 }),
    count: fc.integer({ min: 0, max: 20 }),
  })
  fc.assert(
    fc.property(fc.array(shown, { maxLength: 20 }), fc.integer({ min: 0, max: 100 }), (texts, most) => {
      const { regions, left } = held(texts, most)
      const all = texts.reduce((sum, { count }) => sum + count, 0)
      expect(regions).toHaveLength(Math.min(all, most))
      expect(left).toBe(all - regions.length)
      const stay = texts.map((_, index) => regions.filter(({ place }) => place === index).length)
      expect(regions).toEqual(
        stay.flatMap((count, place) => Array.from({ length: count }, (_, start) => ({ place, start }))),
      )
      const inPart = texts.filter(({ count }, place) => stay[place] !== 0 && stay[place] !== count)
      expect(inPart.length).toBeLessThanOrEqual(1)
    }),
  )
})
