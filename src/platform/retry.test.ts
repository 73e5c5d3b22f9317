import { expect, test } from 'vitest'
import { exponentialDelay, retry } from './retry.ts'

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
