import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TimeSpan } from '../speech/speech-types.ts'
import { compareWithSpeech, type MouthSample, visualSpeech } from './visual-speech.ts'

/** Motion of lips that open and close `rate` times a second during spans of a recording, and rest otherwise. */
function motionOf(
  spoken: readonly TimeSpan[],
  { seconds, perSecond = 15, rate = 4 }: { seconds: number; perSecond?: number; rate?: number },
): MouthSample[] {
  return Array.from({ length: Math.round(seconds * perSecond) }, (_, index) => {
    const [start, end] = [index / perSecond, (index + 1) / perSecond]
    const isMoving = spoken.some((span) => start < span.end && end > span.start)
    const stroke = Math.abs(Math.sin(Math.PI * rate * ((start + end) / 2)))
    return { start, end, motion: (isMoving ? 0.05 + 0.2 * stroke : 0) + 0.015 * ((index * 7) % 3) * 0.5 }
  })
}

/** Spans at least 0.9 s apart, each 0.6 to 3 s long. */
const someSpans = fc
  .array(
    fc.record({
      gap: fc.double({ min: 0.9, max: 3, noNaN: true }),
      length: fc.double({ min: 0.6, max: 3, noNaN: true }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => {
    let at = 0
    return parts.map(({ gap, length }): TimeSpan => {
      const start = at + gap
      at = start + length
      return { start, end: at }
    })
  })

const secondsOf = (spans: readonly TimeSpan[]) => (spans.at(-1)?.end ?? 0) + 1

describe('spans in which the mouth moves as in speech', () => {
  it('are found within 0.25 s, at any rate of frames and syllables', () => {
    fc.assert(
      fc.property(
        someSpans,
        fc.constantFrom(12, 12.5, 15, 24),
        fc.double({ min: 2.5, max: 4.8, noNaN: true }),
        (spoken, perSecond, rate) => {
          const found = visualSpeech(motionOf(spoken, { seconds: secondsOf(spoken), perSecond, rate }))
          expect(found).toHaveLength(spoken.length)
          for (const [index, { start, end }] of spoken.entries()) {
            expect(Math.abs((found[index]?.start ?? NaN) - start)).toBeLessThan(0.25)
            expect(Math.abs((found[index]?.end ?? NaN) - end)).toBeLessThan(0.25)
          }
        },
      ),
    )
  })

  it('are in order, disjoint, and only where a face is seen, whatever the motion', () => {
    const motion = fc.option(fc.double({ min: 0, max: 0.6, noNaN: true }))
    fc.assert(
      fc.property(fc.array(motion, { maxLength: 200 }), (motions) => {
        const samples = motions.map((each, index) => ({
          ...{ start: index / 15, end: (index + 1) / 15, motion: each },
        }))
        let last = -1
        for (const { start, end } of visualSpeech(samples)) {
          expect(start).toBeGreaterThan(last)
          expect(end - start).toBeGreaterThanOrEqual(0.3 - 1e-9)
          last = end
          const seen = (time: number) =>
            samples.find((sample) => Math.abs(sample.start - time) < 1e-6)?.motion ?? null
          expect(seen(start)).not.toBeNull()
          expect(seen(end - 1 / 15)).not.toBeNull()
        }
      }),
    )
  })

  it('are none at rest, in a smile and without a face', () => {
    expect(visualSpeech(motionOf([], { seconds: 20 }))).toEqual([])
    const smile = motionOf([], { seconds: 4 }).map((sample) => ({
      ...sample,
      motion: 0.3 * Math.exp(-(((sample.start - 2) / 0.3) ** 2)),
    }))
    expect(visualSpeech(smile)).toEqual([])
    expect(visualSpeech(smile.map((sample) => ({ ...sample, motion: null })))).toEqual([])
    expect(visualSpeech([])).toEqual([])
  })
})

/** Words of 0.3 s that fill each span. */
function wordsIn(spans: readonly TimeSpan[]): TimeSpan[] {
  return spans.flatMap(({ start, end }) => {
    const count = Math.ceil((end - start) / 0.3)
    return Array.from({ length: count }, (_, index) => ({
      start: start + (index * (end - start)) / count,
      end: start + ((index + 1) * (end - start)) / count,
    }))
  })
}

describe('speech that is seen and heard', () => {
  const jitter = fc.double({ min: -0.1, max: 0.1, noNaN: true })

  it('is no omission where words cover it, also with inexact times', () => {
    fc.assert(
      fc.property(someSpans, fc.array(jitter, { minLength: 20, maxLength: 20 }), (spoken, errors) => {
        const words = wordsIn(spoken).map(({ start, end }, index) => {
          const error = errors[index % 20] ?? 0
          return { start: start + error, end: end + error }
        })
        expect(compareWithSpeech(spoken, { words, voices: spoken })).toEqual([])
      }),
    )
  })

  it('is an omission where words are missing, unless it is silent or unseen', () => {
    fc.assert(
      fc.property(someSpans, fc.nat(5), (spoken, chosen) => {
        const missing = spoken[chosen % spoken.length] ?? { start: 0, end: 0 }
        const others = spoken.filter((span) => span !== missing)
        const words = wordsIn(others)
        expect(compareWithSpeech(spoken, { words, voices: spoken })).toEqual([{ ...missing, overlap: 0 }])
        expect(compareWithSpeech(spoken, { words, voices: others })).toEqual([])
        expect(compareWithSpeech(others, { words, voices: spoken })).toEqual([])
      }),
    )
  })

  it('is an omission inside a fluent sentence, and under a word that is too long', () => {
    const sentence = [{ start: 1, end: 9 }]
    const words = wordsIn([
      { start: 1, end: 3 },
      { start: 6, end: 9 },
    ])
    const found = [{ start: expect.closeTo(3.15, 6), end: expect.closeTo(5.85, 6), overlap: 0 }]
    expect(compareWithSpeech(sentence, { words, voices: sentence })).toEqual(found)
    const stretched = [...wordsIn([{ start: 1, end: 3 }]), { start: 3, end: 9 }]
    expect(compareWithSpeech(sentence, { words: stretched, voices: sentence })).toEqual([
      { start: expect.closeTo(4.65, 6), end: 9, overlap: 0 },
    ])
  })

  it('has the share that words cover, where one of many is recognised', () => {
    const sentence = [{ start: 0, end: 4 }]
    const word = { start: 1.9, end: 2.1 }
    expect(compareWithSpeech(sentence, { words: [word], voices: sentence })).toEqual([
      { start: 0, end: 4, overlap: expect.closeTo(0.05, 6) },
    ])
    const several = wordsIn([{ start: 1.5, end: 2.4 }])
    expect(compareWithSpeech(sentence, { words: several, voices: sentence })).toEqual([
      { start: 0, end: expect.closeTo(1.35, 6), overlap: 0 },
      { start: expect.closeTo(2.55, 6), end: 4, overlap: 0 },
    ])
  })

  it('is reported in order, disjoint, inside what is seen, with overlaps of 0 to 1', () => {
    fc.assert(
      fc.property(someSpans, someSpans, someSpans, (visual, voices, words) => {
        let last = -1
        for (const { start, end, overlap } of compareWithSpeech(visual, { words, voices })) {
          expect(start).toBeGreaterThan(last)
          expect(end - start).toBeGreaterThanOrEqual(0.3 - 1e-9)
          last = end
          expect(overlap).toBeGreaterThanOrEqual(0)
          expect(overlap).toBeLessThanOrEqual(1)
        }
      }),
    )
  })
})
