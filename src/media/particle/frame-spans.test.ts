import fc from 'fast-check'
import { expect, it } from 'vitest'
import { particleTime, maxRunFrames, splitIntoRuns, frameSpan } from './frame-spans.ts'

it('shows a particle on the frames whose time is in its range, despite rounding', () => {
  expect(frameSpan({ start: 0.1, duration: 0.2 }, { fps: 30, frames: 100 })).toEqual({ first: 3, end: 9 })
  expect(frameSpan({ start: 0, duration: 0.01 }, { fps: 30, frames: 100 })).toEqual({ first: 0, end: 1 })
  expect(frameSpan({ start: 0.01, duration: 0.01 }, { fps: 30, frames: 100 })).toEqual({ first: 1, end: 1 })
  expect(frameSpan({ start: 3, duration: 9 }, { fps: 10, frames: 50 })).toEqual({ first: 30, end: 50 })
})

it('begins each particle at its own time, never before 0', () => {
  expect(particleTime({ start: 0.1, duration: 1 }, 3, 30)).toBe(0)
  expect(particleTime({ start: 0.25, duration: 1 }, 3, 10)).toBeCloseTo(0.05, 12)
})

it('puts few large frames in a run, and at least one of any size', () => {
  expect(maxRunFrames({ width: 640, height: 360 })).toBe(24)
  for (const side of [16, 1080, 2000, 4096]) {
    const frames = maxRunFrames({ width: side, height: side })
    expect(frames).toBeGreaterThanOrEqual(1)
    expect(frames * side * side * 4).toBeLessThanOrEqual(64 * 2 ** 20)
  }
})

it('covers every frame once, in order, in short runs', () => {
  const span = fc.record({ first: fc.nat(200), length: fc.nat(80) }).map(({ first, length }) => ({
    first,
    end: first + length,
  }))
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (spans, longest) => {
      const runs = splitIntoRuns(spans, longest)
      const played = runs.flatMap(({ first, end }) =>
        Array.from({ length: end - first }, (_, at) => first + at),
      )
      const covered = new Set(
        spans.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, at) => first + at)),
      )
      expect(played).toEqual([...covered].toSorted((one, other) => one - other))
      expect(runs.every(({ first, end }) => end > first && end - first <= longest)).toBe(true)
    }),
  )
})
