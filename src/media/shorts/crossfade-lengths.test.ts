import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import { seamLengths, type SeamOptions } from './crossfade-lengths.ts'

const rate = { num: 30, den: 1 }

/** Words with pauses, in order; each is one voice unless they touch. */
const recordings = fc
  .array(
    fc.record({
      pause: fc.double({ min: 0, max: 2, noNaN: true }),
      length: fc.double({ min: 0.05, max: 1, noNaN: true }),
    }),
    {
      minLength: 2,
      maxLength: 60,
    },
  )
  .map((list) => {
    let time = 0
    return list.map(({ pause, length }): TimeSpan => {
      const start = time + pause
      time = start + length
      return { start, end: time }
    })
  })

/** A recording of which some words are kept, with ranges that end in the pauses as a cut does. */
const clips = recordings.chain((words) =>
  fc.record({
    words: fc.constant(words),
    kept: fc.array(fc.boolean(), { minLength: words.length, maxLength: words.length }),
    crossfadeMs: fc.integer({ min: 0, max: 500 }),
    speed: fc.double({ min: 0.5, max: 2, noNaN: true }),
  }),
)

function keptRanges(words: readonly TimeSpan[], kept: readonly boolean[]): FrameSpan[] {
  const ranges: FrameSpan[] = []
  for (const [index, { start, end }] of words.entries()) {
    if (!kept[index]) continue
    const [first, last] = [Math.floor(start * 30), Math.ceil(end * 30)]
    const before = ranges.at(-1)
    if (before && first <= before.end) ranges[ranges.length - 1] = { first: before.first, end: last }
    else ranges.push({ first, end: last })
  }
  return ranges
}

function optionsOf(words: readonly TimeSpan[], more: Partial<SeamOptions>): SeamOptions {
  const seconds = (words.at(-1)?.end ?? 0) + 1
  return { ...{ ranges: [], rate, words, voices: words, seconds, speed: 1, crossfadeMs: 30 }, ...more }
}

describe('seams', () => {
  it('borrow no sound of a word that was cut, and none beyond the source', () => {
    fc.assert(
      fc.property(clips, ({ words, kept, crossfadeMs, speed }) => {
        const ranges = keptRanges(words, kept)
        const options = optionsOf(words, { ranges, crossfadeMs, speed })
        const lengths = seamLengths(options)
        expect(lengths).toHaveLength(Math.max(0, ranges.length - 1))
        for (const [index, length] of lengths.entries()) {
          expect(length).toBeLessThanOrEqual(crossfadeMs)
          expect(length).toBeGreaterThanOrEqual(0)
          const [end, next] = [(ranges[index]?.end ?? 0) / 30, (ranges[index + 1]?.first ?? 0) / 30]
          const half = (length / 2000) * speed
          // Whole words that are not kept on this side.
          for (const word of words) {
            const middle = (word.start + word.end) / 2
            if (length > 0 && middle >= end) expect(word.start).toBeGreaterThanOrEqual(end + half - 1e-6)
            if (length > 0 && middle < next) expect(word.end).toBeLessThanOrEqual(next - half + 1e-6)
          }
          expect(end + half).toBeLessThanOrEqual(options.seconds + 1e-6)
          expect(next - half).toBeGreaterThanOrEqual(-1e-6)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('of one range do not overlap', () => {
    fc.assert(
      fc.property(clips, ({ words, kept, crossfadeMs, speed }) => {
        const ranges = keptRanges(words, kept)
        const lengths = seamLengths(optionsOf(words, { ranges, crossfadeMs, speed }))
        for (const [index, { first, end }] of ranges.entries()) {
          const beside = ((lengths[index - 1] ?? 0) + (lengths[index] ?? 0)) / 2000
          expect(beside).toBeLessThanOrEqual((end - first) / 30 / speed + 1e-6)
        }
      }),
    )
  })

  const [one, other] = [
    { start: 1, end: 2 },
    { start: 5, end: 6 },
  ]
  const apart = {
    ranges: [
      { first: 27, end: 66 },
      { first: 144, end: 186 },
    ],
  }

  it('have the wanted length in silence, at any speed', () => {
    expect(seamLengths(optionsOf([one, other], apart))).toEqual([30])
    expect(seamLengths(optionsOf([one, other], { ...apart, crossfadeMs: 200 }))).toEqual([200])
    expect(seamLengths(optionsOf([one, other], { ...apart, crossfadeMs: 500 }))).toEqual([500])
    expect(seamLengths(optionsOf([one, other], { ...apart, crossfadeMs: 500, speed: 2 }))).toEqual([500])
  })

  it('are shorter beside a cut word, and a plain cut inside of one', () => {
    const near = { start: 2.25, end: 2.6 }
    // 50 ms after the cut at 2.2 s the cut word begins, 30 ms less are sure.
    expect(seamLengths(optionsOf([one, near, other], { ...apart, crossfadeMs: 100 }))).toEqual([40])
    const inside = { start: 2.1, end: 2.6 }
    expect(seamLengths(optionsOf([one, inside, other], { ...apart, crossfadeMs: 100 }))).toEqual([0])
    // The voice is nearer than the word times state.
    const voices = [one, { start: 2.23, end: 2.6 }, other]
    expect(
      seamLengths(optionsOf([one, { start: 2.5, end: 2.6 }, other], { ...apart, voices, crossfadeMs: 100 })),
    ).toEqual([40])
    // A voice that no word states, such as a cough, is not borrowed either.
    expect(seamLengths(optionsOf([one, other], { ...apart, voices, crossfadeMs: 100 }))).toEqual([40])
    const before = { start: 4.2, end: 4.75 }
    expect(seamLengths(optionsOf([one, before, other], { ...apart, crossfadeMs: 100 }))).toEqual([40])
  })

  it('of ranges that continue each other are none', () => {
    const ranges = [
      { first: 27, end: 66 },
      { first: 66, end: 186 },
    ]
    expect(seamLengths(optionsOf([one, other], { ranges, crossfadeMs: 100 }))).toEqual([0])
    expect(seamLengths(optionsOf([one, other], { ranges: ranges.slice(1) }))).toEqual([])
  })

  it('of ten thousand cuts in a recording of 80,000 words are found in seconds of processor time', () => {
    const words = Array.from({ length: 80_000 }, (_, index) => ({ start: index, end: index + 0.6 }))
    const ranges = Array.from({ length: 10_000 }, (_, index) => ({
      first: 240 * index,
      end: 240 * index + 24,
    }))
    const begun = process.cpuUsage()
    const lengths = seamLengths(optionsOf(words, { ranges }))
    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(1)
    expect(new Set(lengths)).toEqual(new Set([30]))
  })

  it('end with the sound of the source', () => {
    const words = [one, { start: 5, end: 6 }]
    const reversed = {
      ranges: [
        { first: 144, end: 186 },
        { first: 27, end: 66 },
      ],
      crossfadeMs: 500,
    }
    expect(seamLengths(optionsOf(words, { ...reversed, seconds: 6.21 }))).toEqual([20])
  })
})
