import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseReference, referenceBounds } from './reference.ts'
import type { Span } from './spoken.ts'

const span = (start: number, end: number): Span => ({ start, end })
const turn = (speaker: number, start: number, end: number) => ({ speaker, start, end })

describe('the rule that is not met is named', () => {
  test.each([
    ['no speech', { speech: [], turns: [] }, /no speech was found/],
    [
      'words apart',
      { speech: [span(1, 3), span(3.7, 5.5), span(6.2, 8.9)], turns: [turn(0, 0, 9)] },
      /no 3 s of speech without a silence longer than 0\.6 s: the longest lasts 2\.7 s/,
    ],
    [
      'people who take turns',
      {
        speech: [span(0, 9)],
        turns: [turn(0, 0, 2.5), turn(1, 2.5, 4.5), turn(0, 4.5, 6.8), turn(1, 6.8, 9)],
      },
      /no 3 s of continuous speech of one person alone: the longest lasts 2\.5 s/,
    ],
    [
      'people who speak at once',
      { speech: [span(0, 8)], turns: [turn(0, 0, 8), turn(1, 2, 7)] },
      /of one person alone: the longest lasts 2\.0 s/,
    ],
  ])('%s', (_, heard, unmet) => {
    expect(chooseReference(heard)).toEqual({ unmet: expect.stringMatching(unmet) })
  })
})

describe('a reference is taken', () => {
  test('from pause to pause, the one nearest to 7 s first', () => {
    const speech = [span(0.3, 2.2), span(2.6, 4.4), span(4.8, 7.5), span(8, 13)]
    const choice = chooseReference({ speech, turns: [turn(0, 0, 13)] })
    const spans = [span(0.3, 7.5), span(4.8, 13), span(8, 13), span(2.6, 7.5), span(0.3, 4.4)]
    expect(choice).toEqual({ spans })
  })

  test('with the breath before a word that the turns leave out', () => {
    const choice = chooseReference({ speech: [span(1, 6)], turns: [turn(0, 1.2, 3), turn(0, 3.4, 5.9)] })
    expect(choice).toEqual({ spans: [span(1, 6)] })
  })

  test('cut where somebody speaks for longer without a pause', () => {
    expect(chooseReference({ speech: [span(2, 40)], turns: [turn(0, 0, 41)] })).toEqual({
      spans: [span(2, 12)],
    })
  })

  test('of the one who speaks alone, beside people who speak at once', () => {
    const turns = [turn(0, 0, 6), turn(1, 5, 12), turn(0, 12, 13)]
    expect(chooseReference({ speech: [span(0, 13)], turns })).toHaveProperty('spans.0', span(6, 12))
  })
})

test('whatever is heard, every span keeps every rule, and where there is one at all, one is found', () => {
  const times = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 10, max: 8000 })), { maxLength: 12 })
    .map((steps) => {
      let at = 0
      return steps.map(([gap, length]) => {
        const start = at + gap
        at = start + length
        return span(start / 1000, at / 1000)
      })
    })
  const turns = fc
    .array(
      fc.record({
        speaker: fc.nat(2),
        at: fc.integer({ max: 60_000, min: 0 }),
        length: fc.integer({ min: 100, max: 20_000 }),
      }),
      { maxLength: 6 },
    )
    .map((list) =>
      list
        .map(({ speaker, at, length }) => turn(speaker, at / 1000, (at + length) / 1000))
        .toSorted((one, other) => one.start - other.start),
    )
  fc.assert(
    fc.property(times, turns, (speech, given) => {
      const choice = chooseReference({ speech, turns: given })
      if ('unmet' in choice) {
        // Then no part of the speech alone would have done.
        const done = speech.some(
          ({ start, end }) =>
            end - start >= referenceBounds.shortest &&
            new Set(given.flatMap((one) => (one.start < end && start < one.end ? one.speaker : []))).size <=
              1,
        )
        expect(done).toBe(false)
        return
      }
      expect(choice.spans.length).toBeGreaterThan(0)
      for (const { start, end } of choice.spans) {
        expect(end - start).toBeGreaterThanOrEqual(referenceBounds.shortest)
        expect(end - start).toBeLessThanOrEqual(referenceBounds.longest + 1e-9)
        const inside = speech.filter((part) => part.start < end && start < part.end)
        expect(inside[0]?.start ?? end).toBeLessThanOrEqual(start)
        expect(inside.at(-1)?.end ?? start).toBeGreaterThanOrEqual(end)
        for (const [index, part] of inside.entries()) {
          const silence = part.start - (inside[index - 1]?.end ?? part.start)
          expect(silence).toBeLessThanOrEqual(referenceBounds.silence)
        }
        const speakers = given.flatMap((one) => (one.start < end && start < one.end ? one.speaker : []))
        expect(new Set(speakers).size).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 1000 },
  )
})
