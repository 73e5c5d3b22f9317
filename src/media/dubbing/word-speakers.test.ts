import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wordSpeakers } from './word-speakers.ts'

const words = [
  { start: 0, end: 0.4 },
  { start: 0.4, end: 1.2 },
  { start: 1.2, end: 1.8 },
  { start: 4, end: 4.2 },
]

it('chooses the turn with the most overlap, also where turns overlap', () => {
  const turns = [
    { speaker: 0, start: 0, end: 1.3 },
    { speaker: 1, start: 1, end: 3 },
  ]
  expect(wordSpeakers(words, turns)).toEqual([0, 0, 1, 1])
})

it('chooses the nearest turn for words without one', () => {
  const turns = [
    { speaker: 1, start: 3.9, end: 3.95 },
    { speaker: 2, start: 6, end: 7 },
  ]
  expect(wordSpeakers(words, turns)).toEqual([1, 1, 1, 1])
  expect(wordSpeakers(words, [])).toEqual([0, 0, 0, 0])
})

it('equals a comparison with all turns', () => {
  // Eighths of seconds: sums and differences are exact.
  const time = fc.integer({ min: 0, max: 400 }).map((eighths) => eighths / 8)
  const some = fc.array(fc.tuple(time, fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 3 })), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(some, some, (given, turnsGiven) => {
      let end = 0
      const spans = given.map(([gap, length]) => {
        const start = end + (gap % 1)
        end = start + length / 8
        return { start, end }
      })
      const turns = turnsGiven.map(([start, length, speaker]) => ({
        speaker,
        start,
        end: start + length / 8,
      }))
      const found = wordSpeakers(spans, turns)
      for (const [index, { start, end: until }] of spans.entries()) {
        const shared = turns.map((turn) => Math.min(turn.end, until) - Math.max(turn.start, start))
        const most = Math.max(...shared)
        const best = turns.filter((_, at) => shared[at] === most).map(({ speaker }) => speaker)
        expect(turns.length === 0 ? [0] : best).toContain(found[index])
      }
    }),
    { numRuns: 2000, seed: 23 },
  )
})
