import { expect, test } from 'vitest'
import { RecentResults } from './recent-results.ts'

const minutes = 60_000

test('a result is offered again for 10 minutes after it was first reported', () => {
  let now = 0
  const results = new RecentResults(() => now)
  results.remember('cut', '1')
  now = 60 * minutes
  expect(results.find('cut'), 'the agent has not seen it yet').toBe('1')
  results.report('1')
  now += 9 * minutes
  results.report('1')
  expect(results.find('cut')).toBe('1')
  expect(results.find('other')).toBeUndefined()
  now += 2 * minutes
  expect(results.find('cut')).toBeUndefined()
})

test('only the latest task of a request counts, and old requests are forgotten', () => {
  const results = new RecentResults(() => 0)
  results.remember('cut', '1')
  results.remember('cut', '2')
  expect(results.find('cut')).toBe('2')
  for (let request = 0; request < 200; request += 1) results.remember(`r${request}`, `t${request}`)
  expect(results.find('cut')).toBeUndefined()
  expect(results.find('r0')).toBe('t0')
})
