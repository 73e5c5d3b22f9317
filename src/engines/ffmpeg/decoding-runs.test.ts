import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodingRuns } from './decoding-runs.ts'

/** A video with random key frames and ascending times. A process start costs as much as ms of video. */
const videos = fc
  .record({
    gaps: fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 40 }),
    steps: fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 20 }),
    startMs: fc.integer({ min: 0, max: 5000 }),
  })
  .map(({ gaps, steps, startMs }) => {
    const keyFrames = [0, ...sums(gaps)]
    const times = sums(steps)
    const before = times.map((time) => Math.max(...keyFrames.filter((one) => one <= time)))
    return { times, before, startMs }
  })

function sums(parts: readonly number[]): number[] {
  let sum = 0
  return parts.map((part) => (sum += part))
}

/** Returns the cost of decoding these runs, in ms of video. */
function cost(
  runs: readonly (readonly number[])[],
  keyFrameOf: ReadonlyMap<number, number>,
  startMs: number,
) {
  return runs.reduce((sum, run) => sum + startMs + (run.at(-1) ?? 0) - (keyFrameOf.get(run[0] ?? 0) ?? 0), 0)
}

test('every time is in one run, in order', () => {
  fc.assert(
    fc.property(videos, ({ times, before, startMs }) => {
      expect(decodingRuns(times, before, startMs).flat()).toEqual(times)
    }),
  )
})

test('no run decodes what another has decoded', () => {
  fc.assert(
    fc.property(videos, ({ times, before, startMs }) => {
      const runs = decodingRuns(times, before, startMs)
      for (const [index, run] of runs.entries()) {
        const end = runs[index - 1]?.at(-1) ?? -1
        expect(before[times.indexOf(run[0])]).toBeGreaterThan(end)
      }
    }),
  )
})

test('never costs more than one pass, nor than a process for each time', () => {
  fc.assert(
    fc.property(videos, ({ times, before, startMs }) => {
      const keyFrameOf = new Map(times.map((time, index) => [time, before[index] ?? 0]))
      const chosen = cost(decodingRuns(times, before, startMs), keyFrameOf, startMs)
      expect(chosen).toBeLessThanOrEqual(cost([times], keyFrameOf, startMs))
      const each = times.map((time) => [time])
      expect(chosen).toBeLessThanOrEqual(cost(each, keyFrameOf, startMs))
    }),
  )
})
