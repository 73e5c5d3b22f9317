import { expect, test, vi } from 'vitest'
import { exponentialDelay, parseRetryAfter, retry } from './retry.ts'

test('delays double up to the maximum, and jitter only shortens them', () => {
  const exact = [1, 2, 3, 9].map((failures) =>
    exponentialDelay(failures, { firstMs: 100, maxMs: 1000, jitter: 0 }),
  )
  expect(exact).toEqual([100, 200, 400, 1000])
  const delays = Array.from({ length: 100 }, () => exponentialDelay(2))
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(200)
  expect(Math.max(...delays)).toBeLessThanOrEqual(400)
})

test('attempts are repeated after the delays of delayAfter until one succeeds', async () => {
  const waits: number[] = []
  const attempt = (failures: number) =>
    failures < 3 ? Promise.reject(new Error(`failure ${failures}`)) : Promise.resolve(failures)
  const result = await retry(attempt, {
    delayAfter: (_, failures) => failures * 10,
    wait: async (milliseconds) => void waits.push(milliseconds),
  })
  expect([result, waits]).toEqual([3, [10, 20, 30]])
})

test('an error thrown by delayAfter ends the attempts', async () => {
  const last = new Error('permanent')
  const wait = () => Promise.reject(new Error('waited'))
  const delayAfter = () => {
    throw last
  }
  await expect(retry(() => Promise.reject(new Error('first')), { delayAfter, wait })).rejects.toBe(last)
})

test('an aborted signal ends the wait', async () => {
  const failing = retry(() => Promise.reject(new Error('first')), {
    delayAfter: () => 60_000,
    signal: AbortSignal.abort(),
  })
  await expect(failing).rejects.toThrow('aborted')
})

test('Retry-After is a number of seconds or a date', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12, 0, 0, 400) })
  try {
    expect(parseRetryAfter('7')).toBe(7)
    expect(parseRetryAfter('Thu, 01 Jan 2026 12:00:30 GMT')).toBe(30)
    expect(parseRetryAfter('Thu, 01 Jan 2026 11:00:00 GMT')).toBe(0)
    for (const invalid of [undefined, '', 'soon', '-1x', ['7', '8']])
      expect(parseRetryAfter(invalid)).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
