import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MediaError } from '../contract/errors.ts'
import { RateLimits } from './rate-limits.ts'

function limited(perMinute: Readonly<Record<string, number>> = {}) {
  const time = { now: 1_000_000 }
  const limits = new RateLimits({ clock: () => time.now, perMinute })
  /** Seconds to wait; 0 when the request is accepted. */
  const takeRequest = (
    keyId: string,
    operation: { name: string; ratePerMinute?: number; credits?: number },
  ): number => {
    const { credits = 1, ...rate } = operation
    try {
      limits.take(keyId, { ...rate, price: { unit: 'item', credits, of: 'file' } })
      return 0
    } catch (error) {
      if (error instanceof MediaError && error.code === 6032) return error.retryAfter ?? Number.NaN
      throw error
    }
  }
  return { time, takeRequest }
}

test('accepts as many requests as the limit, then one after each wait', () => {
  const { time, takeRequest } = limited()
  const describe = { name: 'describe', ratePerMinute: 30 }
  expect(Array.from({ length: 31 }, () => takeRequest('a', describe))).toEqual([
    ...Array<number>(30).fill(0),
    2,
  ])
  time.now += 2000
  expect([takeRequest('a', describe), takeRequest('a', describe)]).toEqual([0, 2])
})

test('keys and operations are counted separately; an operation without a limit is unlimited', () => {
  const { takeRequest } = limited()
  const once = { name: 'once', ratePerMinute: 1 }
  expect([
    takeRequest('a', once),
    takeRequest('b', once),
    takeRequest('a', { ...once, name: 'other' }),
  ]).toEqual([0, 0, 0])
  expect(takeRequest('a', once)).toBe(60)
  expect(
    Array.from({ length: 1000 }, () => takeRequest('a', { name: 'free' })).every((wait) => wait === 0),
  ).toBe(true)
})

test('an operation without a price has a limit by default, which its own limit and the setting override', () => {
  const { takeRequest } = limited({ set: 1000 })
  const acceptedOf = (operation: { name: string; ratePerMinute?: number }) =>
    Array.from({ length: 100 }, () => takeRequest('a', { ...operation, credits: 0 })).filter(
      (wait) => wait === 0,
    ).length
  expect(acceptedOf({ name: 'check' })).toBe(60)
  expect(acceptedOf({ name: 'slow', ratePerMinute: 2 })).toBe(2)
  expect(acceptedOf({ name: 'set' })).toBe(100)
})

test('quotes of all operations share a limit, and count towards that of their operation', () => {
  const quotes = (perMinute: Readonly<Record<string, number>>, ratePerMinute?: number) => {
    const limits = new RateLimits({ clock: () => 0, perMinute })
    const rate = ratePerMinute === undefined ? {} : { ratePerMinute }
    const accepted = (name: string, credits: number) => {
      for (let count = 0; ; count += 1) {
        try {
          limits.takeQuote('a', { name, ...rate, price: { unit: 'item', credits, of: 'file' } })
        } catch (error) {
          expect(error).toMatchObject({ code: 6032, retryAfter: expect.any(Number) as number })
          return count
        }
      }
    }
    return [accepted('one', 1), accepted('other', 5)]
  }
  expect(quotes({})).toEqual([120, 0])
  expect(quotes({ quote: 300 })).toEqual([300, 0])
  expect(quotes({}, 50)).toEqual([50, 50])
})

test('a setting overrides the limit of an operation, or adds one', () => {
  const { takeRequest } = limited({ once: 2, free: 1 })
  const once = { name: 'once', ratePerMinute: 1 }
  expect([takeRequest('a', once), takeRequest('a', once), takeRequest('a', once)]).toEqual([0, 0, 30])
  expect([takeRequest('a', { name: 'free' }), takeRequest('a', { name: 'free' })]).toEqual([0, 60])
})

test('no minute has more than twice the limit, and a request after the wait is accepted', () => {
  const gaps = fc.array(fc.integer({ min: -500, max: 20_000 }), { maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), gaps, (limit, steps) => {
      const { time, takeRequest } = limited()
      const operation = { name: 'x', ratePerMinute: limit }
      const accepted: number[] = []
      let latest = time.now
      for (const step of steps) {
        time.now += step
        latest = Math.max(latest, time.now)
        const wait = takeRequest('a', operation)
        if (wait === 0) accepted.push(latest)
      }
      for (const from of accepted) {
        const within = accepted.filter((at) => at >= from && at < from + 60_000)
        expect(within.length).toBeLessThanOrEqual(2 * limit)
      }
      time.now = latest
      const wait = takeRequest('a', operation)
      time.now += 1000 * wait
      if (wait > 0) expect(takeRequest('a', operation)).toBe(0)
    }),
  )
})
