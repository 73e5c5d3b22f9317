import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyCount, lowestKey } from './note.ts'
import { regressionFrameRate, RegressionTracker, type RegressionFrame } from './regression-tracker.ts'

/** Frames over which a training target falls from 1 to 0. */
const width = 5

interface Struck {
  readonly key: number
  /** Frames. */
  readonly start: number
  readonly end: number
  readonly velocity: number
}

const near = (frame: number, moment: number) => Math.max(0, 1 - Math.abs(frame - moment) / width)

/** Output of an ideal model. */
function framesOf(notes: readonly Struck[], pedals: readonly (readonly [number, number])[], count: number) {
  return Array.from({ length: count }, (_, at): RegressionFrame => {
    const rolls = {
      onsets: new Float32Array(keyCount),
      offsets: new Float32Array(keyCount),
      sounding: new Float32Array(keyCount),
      velocities: new Float32Array(keyCount),
    }
    for (const { key, start, end, velocity } of notes) {
      rolls.onsets[key] = Math.max(rolls.onsets[key] ?? 0, near(at, start))
      rolls.offsets[key] = Math.max(rolls.offsets[key] ?? 0, near(at, end))
      if (at >= Math.round(start) && at < end) rolls.sounding[key] = 0.9
      if (Math.abs(at - start) < width) rolls.velocities[key] = (velocity + 0.5) / 128
    }
    return {
      ...rolls,
      pedalOffset: Math.max(0, ...pedals.map(([, end]) => near(at, end))),
      pedal: pedals.some(([start, end]) => at >= start && at < end) ? 0.9 : 0,
    }
  })
}

/** Notes of some keys, and pedals, with gaps between them. */
const gaps = fc.array(
  fc.tuple(fc.double({ min: 13, max: 40, noNaN: true }), fc.double({ min: 12, max: 300, noNaN: true })),
  {
    minLength: 1,
    maxLength: 6,
  },
)
const spans = gaps.map((list) => {
  let at = 0
  return list.map(([gap, lasts]) => {
    const start = at + gap
    at = start + lasts
    return [start, at] as const
  })
})

it('finds notes and pedals of an ideal model to a millisecond', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.tuple(fc.integer({ min: 0, max: keyCount - 1 }), spans, fc.integer({ min: 1, max: 127 })),
        {
          maxLength: 5,
          selector: ([key]) => key,
        },
      ),
      spans,
      (played, pedals) => {
        const notes = played.flatMap(([key, all, velocity]) =>
          all.map(([start, end]) => ({ key, start, end, velocity })),
        )
        const tracker = new RegressionTracker()
        const count =
          20 + Math.ceil(Math.max(0, ...[...notes.map(({ end }) => end), ...pedals.map(([, end]) => end)]))
        const heard = framesOf(notes, pedals, count).flatMap((frame) => tracker.push(frame))
        heard.push(...tracker.finish())
        expect(heard).toHaveLength(notes.length)
        for (const { key, start, end, velocity } of notes) {
          const own = heard.filter(({ pitch }) => pitch === key + lowestKey)
          const found = own.find((note) => Math.abs(note.start * regressionFrameRate - start) < 0.1)
          expect(found?.velocity).toBe(velocity)
          expect(Math.abs((found?.end ?? 0) * regressionFrameRate - end)).toBeLessThan(1)
        }
        expect(tracker.pedals).toHaveLength(pedals.length)
        for (const [index, [start, end]] of pedals.entries()) {
          const found = tracker.pedals[index]
          expect(Math.abs((found?.start ?? 0) * regressionFrameRate - start)).toBeLessThanOrEqual(1)
          expect(Math.abs((found?.end ?? 0) * regressionFrameRate - end)).toBeLessThan(1)
        }
      },
    ),
    { numRuns: 60, seed: 1 },
  )
})

it('for any output, notes of a key have a positive length, are in order and do not overlap', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.array(fc.array(share, { minLength: 6, maxLength: 6 }), { maxLength: 80 }), (rolls) => {
      const tracker = new RegressionTracker()
      const frames = rolls.map(
        ([onset = 0, offset = 0, sounding = 0, velocity = 0, pedalOffset = 0, pedal = 0]) => ({
          onsets: new Float32Array(keyCount).fill(onset),
          offsets: new Float32Array(keyCount).fill(offset),
          sounding: new Float32Array(keyCount).fill(sounding),
          velocities: new Float32Array(keyCount).fill(velocity),
          ...{ pedalOffset, pedal },
        }),
      )
      const notes = [...frames.flatMap((frame) => tracker.push(frame)), ...tracker.finish()]
      for (const own of Map.groupBy(notes, ({ pitch }) => pitch).values()) {
        for (const [at, { start, end }] of own.entries()) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeGreaterThan(start)
          expect(own[at + 1]?.start ?? Infinity).toBeGreaterThanOrEqual(end)
        }
      }
      for (const [at, { start, end }] of tracker.pedals.entries()) {
        expect(end).toBeGreaterThan(start)
        expect(tracker.pedals[at + 1]?.start ?? Infinity).toBeGreaterThanOrEqual(end)
      }
    }),
    { numRuns: 60, seed: 1 },
  )
})
