import { expect, test } from 'vitest'
import { dataFolder } from '../service/doomed.ts'
import { seeded } from '../service/kill-rounds.ts'
import { day } from './day.ts'

test('a day of use: disconnects, restarts, cancels, stops and expiries violate no invariant', async () => {
  const figures = await day({ dataDir: await dataFolder(), tasks: 100, random: seeded(11) })
  const { completed = 0, failed = 0, cancelled = 0 } = figures.states
  expect(completed + failed + cancelled).toBe(100)
  expect(completed).toBeGreaterThan(50)
  expect(figures.restarts).toBeGreaterThan(3)
  expect(figures.disconnects).toBeGreaterThan(5)
  expect(figures.expired).toBeGreaterThan(5)
})
