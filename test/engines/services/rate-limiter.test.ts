import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateLimiter } from '../../../src/engines/services/rate-limiter.ts'

const { signal } = new AbortController()

describe('rateLimiter', () => {
  it('allows the limit in any minute and delays no request longer than necessary', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), gaps, async (perMinute, arrivals) => {
        let now = 0
        const pause = async (milliseconds: number) => void (now += milliseconds)
        const pace = rateLimiter({ perMinute, clock: () => now, pause })
        const gone: number[] = []
        for (const gap of arrivals) {
          now += gap
          const came = now
          await pace(signal)
          const before = gone.at(-perMinute)
          expect(now).toBe(gone.length < perMinute ? came : Math.max(came, (before ?? 0) + 60_000))
          gone.push(now)
        }
      }),
    )
  })
})
