import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { duckingEnvelope } from './ducking.ts'
import { framesHeldBefore, heldFrames } from './held-frames.ts'
import { isoLanguage } from './iso-language.ts'

const rate = 48_000
const decibels = (gain = 0) => 20 * Math.log10(gain)

describe('gains of music under speech', () => {
  const speech = [
    { from: 2 * rate, to: 3 * rate },
    { from: 5 * rate, to: 6 * rate },
  ]
  const gains = duckingEnvelope(speech, rate)(0, 8 * rate)
  const at = (seconds: number) => decibels(gains[Math.round(seconds * rate)])

  it('are -12 dB from the start of speech to its end', () => {
    for (const time of [2, 2.5, 2.999, 5, 5.999]) expect(at(time), String(time)).toBeCloseTo(-12, 1)
  })

  it('are 1 from 400 ms after speech to 150 ms before it', () => {
    for (const time of [0, 1.849, 3.401, 4, 4.849, 6.401, 7.99])
      expect(at(time), String(time)).toBeCloseTo(0, 3)
  })

  it('change in small steps, down before speech and up after it', () => {
    expect(at(1.925)).toBeCloseTo(-6, 1)
    expect(at(3.2)).toBeCloseTo(-6, 1)
    const steps = gains.subarray(1).map((gain, index) => Math.abs(gain - (gains[index] ?? 0)))
    expect(steps.reduce((most, step) => Math.max(most, step))).toBeLessThan(0.001)
  })

  it('stay down in short pauses', () => {
    const near = duckingEnvelope(
      [
        { from: 0, to: rate },
        { from: 1.7 * rate, to: 2 * rate },
      ],
      rate,
    )
    expect(decibels(near(1.4 * rate, 1)[0])).toBeCloseTo(-12, 1)
  })

  it('do not depend on the order of spans or on the chunks in which they are computed', () => {
    const span = fc.tuple(fc.nat(400), fc.nat(80)).map(([from, length]) => ({ from, to: from + length }))
    fc.assert(
      fc.property(fc.array(span, { maxLength: 8 }), fc.integer({ min: 1, max: 90 }), (spans, size) => {
        const whole = duckingEnvelope(spans, 100)(0, 600)
        const reversed = duckingEnvelope(spans.toReversed(), 100)
        for (let from = 0; from < 600; from += size) {
          const part = reversed(from, Math.min(size, 600 - from))
          expect([...part]).toEqual([...whole.subarray(from, from + size)])
        }
        for (const { from, to } of spans) {
          for (const gain of whole.subarray(from, to)) expect(decibels(gain)).toBeCloseTo(-12, 3)
        }
      }),
    )
  })
})

describe('held frames', () => {
  const thirty = { num: 30_000, den: 1001 }

  it('are the last ones that start before their points, for whole frames', () => {
    const points = [
      { at: 2000, ms: 100 },
      { at: 1001, ms: 33 },
      { at: 2000, ms: 34 },
    ]
    expect(heldFrames(points, { rate: thirty, count: 300 })).toEqual([
      { frame: 29, extra: 1 },
      { frame: 59, extra: 4 },
    ])
  })

  it('are inside of the picture; points without a whole frame hold none', () => {
    const points = [
      { at: 0, ms: 40 },
      { at: 1e9, ms: 80 },
      { at: 500, ms: 10 },
    ]
    const held = heldFrames(points, { rate: { num: 25, den: 1 }, count: 50 })
    expect(held).toEqual([
      { frame: 0, extra: 1 },
      { frame: 49, extra: 2 },
    ])
    expect([0, 1, 49, 50].map((index) => framesHeldBefore(held, index))).toEqual([0, 1, 1, 3])
  })

  it('add up to the frames of all points, whose times are rounded to ms', () => {
    const frames = fc.array(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 40 })))
    const rates = fc.constantFrom(
      thirty,
      { num: 25, den: 1 },
      { num: 60, den: 1 },
      { num: 24_000, den: 1001 },
    )
    fc.assert(
      fc.property(frames, rates, (wanted, each) => {
        const ms = (count: number) => Math.round((1000 * count * each.den) / each.num)
        const points = wanted.map(([at, extra]) => ({ at: ms(at), ms: ms(extra) }))
        const held = heldFrames(points, { rate: each, count: 5000 })
        const total = wanted.reduce((sum, [, extra]) => sum + extra, 0)
        expect(framesHeldBefore(held, Infinity)).toBe(total)
        for (const { frame } of held) expect(wanted.map(([at]) => at - 1)).toContain(frame)
      }),
    )
  })
})

test('languages have the codes of mp4', () => {
  expect(['zh-CN', 'zh-HK', 'en-US', 'fil-PH', 'th', 'EN-gb', 'xx-XX', ''].map(isoLanguage)).toEqual([
    ...['zho', 'yue', 'eng', 'fil', 'tha', 'eng', 'und', 'und'],
  ])
})
