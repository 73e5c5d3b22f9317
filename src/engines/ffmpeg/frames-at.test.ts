import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { decodingRuns, fetchFrames, frameTimedOut } from './frames-at.ts'

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

test('no two runs decode the same frames', () => {
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

test('never costs more than one pass or than one process for each time', () => {
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

/** Fetches that end only when the test ends them. */
function held(given: {
  readonly signal?: AbortSignal
  readonly spent: AbortSignal
  readonly times: number[]
}) {
  const begun = new Map<number, PromiseWithResolvers<Uint8Array | undefined>>()
  const frames = fetchFrames(given.times, {
    ...{ deadline: given.spent, signal: given.signal },
    fetch(ms, signal) {
      const fetching = Promise.withResolvers<Uint8Array | undefined>()
      begun.set(ms, fetching)
      signal.addEventListener('abort', () => fetching.reject(signal.reason))
      return fetching.promise
    },
  })
  return { begun, frames }
}

/** Runs all pending callbacks. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('frames decoded in time are kept, the others are reported as late, and no further one is started', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 12 }),
      fc.nat(12),
      async (times, most) => {
        const spent = new AbortController()
        const { begun, frames } = held({ times, spent: spent.signal })
        const ended = frames.catch((error: unknown) => error)
        const came = times.slice(0, most)
        for (const ms of came) {
          await settle()
          begun.get(ms)?.resolve(Uint8Array.of(ms % 256))
        }
        await settle()
        const before = begun.size
        spent.abort(new Error('spent'))
        const answer = await ended
        expect(begun.size).toBe(before)
        if (came.length === 0) expect(answer).toMatchObject({ code: 6402 })
        else
          expect(answer).toEqual(times.map((ms, at) => (at < most ? Uint8Array.of(ms % 256) : frameTimedOut)))
      },
    ),
    { numRuns: 30 },
  )
})

it('any other failure, or an abort, fails the whole request', async () => {
  const spent = new AbortController()
  const failing = held({ times: [1], spent: spent.signal })
  failing.begun.get(1)?.reject(new Error('broken'))
  await expect(failing.frames).rejects.toThrow('broken')

  const left = new AbortController()
  const waiting = held({ times: [1, 2, 3], spent: spent.signal, signal: left.signal })
  left.abort(new Error('gone'))
  spent.abort(new Error('spent'))
  await expect(waiting.frames).rejects.toThrow('gone')

  const damaged = held({ times: [1], spent: new AbortController().signal })
  damaged.begun.get(1)?.resolve(undefined)
  await expect(damaged.frames).rejects.toMatchObject({ code: 6021 })
})
