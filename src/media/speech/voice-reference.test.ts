import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findReferenceSpans, referenceBounds, referenceRule, speechOfSpeaker } from './voice-reference.ts'
import { SpeechSpanDetector } from './speech-spans.ts'
import type { TimeSpan } from './speech-types.ts'

const span = (start: number, end: number): TimeSpan => ({ start, end })
/** Speech between pauses with 30 ms of padding on both sides. */
const read = (start: number, end: number): TimeSpan => span(start - 0.03, end + 0.03)
const turn = (speaker: number, start: number, end: number) => ({ speaker, start, end })

describe('names the rule that is not met', () => {
  test.each([
    ['no speech', { speech: [], turns: [] }, /contains no speech/],
    [
      'words apart',
      { speech: [span(1, 3), span(3.7, 5.5), span(6.2, 8.9)], turns: [turn(0, 0, 9)] },
      /no 3 s of speech without a silence longer than 0\.6 s: the longest is 2\.7 s/,
    ],
    [
      'people who take turns',
      {
        speech: [span(0, 9)],
        turns: [turn(0, 0, 2.5), turn(1, 2.5, 4.5), turn(0, 4.5, 6.8), turn(1, 6.8, 9)],
      },
      /no 3 s of continuous speech of one person alone: the longest is 2\.5 s/,
    ],
    [
      'people who speak at once',
      { speech: [span(0, 8)], turns: [turn(0, 0, 8), turn(1, 2, 7)] },
      /of one person alone: the longest is 2\.0 s/,
    ],
  ])('%s', (_, heard, unmet) => {
    expect(findReferenceSpans(heard)).toEqual({ unmetRule: expect.stringMatching(unmet) })
  })
})

describe('recordings that narrowly miss a rule', () => {
  /** Frame probabilities of alternating seconds of speech and silence. */
  const heardIn = (...seconds: readonly number[]) => {
    const frame = 0.01
    const spans = new SpeechSpanDetector(frame, referenceRule)
    const frames = seconds.flatMap((length, at) =>
      Array<number>(Math.round(length / frame)).fill((at + 1) % 2),
    )
    const speech = [...frames.flatMap((one) => spans.add(one) ?? []), ...spans.end()]
    return { speech, turns: [turn(0, 0, frames.length * frame)] }
  }

  test.each([
    ['a silence of 0.62 s', [2.9, 0.62, 2.9, 1], /a silence longer than 0\.6 s: the longest is 2\.9 s/],
    ['speech of 2.97 s', [2.97, 1], /no 3 s of speech .*: the longest is 2\.9 s/],
  ])('%s is rejected', (_, seconds, unmet) => {
    expect(findReferenceSpans(heardIn(...seconds))).toEqual({
      unmetRule: expect.stringMatching(unmet) as string,
    })
  })

  test.each([
    ['a silence of 0.59 s', [2.9, 0.59, 2.9, 1]],
    ['speech of 3.01 s', [3.01, 1]],
  ])('%s will do', (_, seconds) => {
    expect(findReferenceSpans(heardIn(...seconds))).toHaveProperty('spans.0.start', 0)
  })
})

describe('a reference is selected', () => {
  test('from pause to pause, the one nearest to 7 s first', () => {
    const speech = [span(0.3, 2.2), span(2.6, 4.4), span(4.8, 7.5), span(8, 13)]
    const choice = findReferenceSpans({ speech, turns: [turn(0, 0, 13)] })
    const spans = [read(0.3, 7.5), read(4.8, 13), read(8, 13), read(2.6, 7.5), read(0.3, 4.4)]
    expect(choice).toEqual({ spans })
  })

  test('with the breath before a word that no turn covers', () => {
    const choice = findReferenceSpans({ speech: [span(1, 6)], turns: [turn(0, 1.2, 3), turn(0, 3.4, 5.9)] })
    expect(choice).toEqual({ spans: [read(1, 6)] })
  })

  test('cut where somebody speaks for longer without a pause', () => {
    expect(findReferenceSpans({ speech: [span(2, 40)], turns: [turn(0, 0, 41)] })).toEqual({
      spans: [span(1.97, expect.closeTo(11.94, 9))],
    })
  })

  test('from a single speaker, not from simultaneous speakers', () => {
    const turns = [turn(0, 0, 6), turn(1, 5, 12), turn(0, 12, 13)]
    expect(findReferenceSpans({ speech: [span(0, 13)], turns })).toHaveProperty('spans.0', span(6, 12))
  })

  test('without padding where somebody else speaks', () => {
    const turns = [turn(0, 0, 0.98), turn(1, 1, 6.5)]
    expect(findReferenceSpans({ speech: [span(1, 6)], turns })).toEqual({ spans: [span(1, 6.03)] })
  })
})

test('for any recording, every span meets all rules, and one is found if it exists', () => {
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
      const choice = findReferenceSpans({ speech, turns: given })
      if ('unmetRule' in choice) {
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
        expect(end - start).toBeLessThanOrEqual(referenceBounds.longest + 1e-9)
        const inside = speech.filter((part) => part.start < end && start < part.end)
        const said = [
          Math.max(inside[0]?.start ?? end, start),
          Math.min(inside.at(-1)?.end ?? start, end),
        ] as const
        expect(said[1] - said[0]).toBeGreaterThanOrEqual(referenceBounds.shortest)
        expect(said[0] - start).toBeLessThanOrEqual(0.03 + 1e-9)
        expect(end - said[1]).toBeLessThanOrEqual(0.03 + 1e-9)
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

describe('the speech of one speaker', () => {
  test('is what nobody else says, to the edges of the speech', () => {
    const heard = {
      speech: [span(0, 5), span(6, 9), span(10, 11)],
      turns: [turn(0, 0.1, 3), turn(1, 2.5, 4.9), turn(0, 6.2, 8.8), turn(1, 8, 8.5)],
    }
    expect(speechOfSpeaker(heard, 0).speech).toEqual([span(0, 2.5), span(6, 8), span(8.5, 9)])
    expect(speechOfSpeaker(heard, 1).speech).toEqual([span(3, 5)])
    expect(speechOfSpeaker(heard, 2).speech).toEqual([])
  })

  test('overlaps no turn of another, is in order, and is part of the speech', () => {
    const spans = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 })), { maxLength: 12 })
      .map((lengths) => {
        let at = 0
        return lengths.map(([pause, length]) => {
          const start = (at += pause)
          return span(start, (at += length))
        })
      })
    const turns = fc.array(fc.tuple(fc.nat(2), fc.nat(500), fc.integer({ min: 1, max: 60 })), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(spans, turns, (speech, given) => {
        const all = given.map(([speaker, start, length]) => turn(speaker, start, start + length))
        const { speech: own } = speechOfSpeaker({ speech, turns: all }, 0)
        for (const [index, part] of own.entries()) {
          expect(part.start).toBeGreaterThanOrEqual(own[index - 1]?.end ?? 0)
          expect(part.end).toBeGreaterThan(part.start)
          expect(speech.some(({ start, end }) => start <= part.start && part.end <= end)).toBe(true)
          const others = all.filter(
            ({ speaker, start, end }) => speaker !== 0 && start < part.end && part.start < end,
          )
          expect(others).toEqual([])
        }
      }),
    )
  })
})
