import { expect, test } from 'vitest'
import { temporaryDataFolder } from '../service/killable-service.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { soakSize } from '../soak-size.ts'
import { simulateDay } from './day.ts'

const tasks = soakSize(40, 400)

test('a day of use: disconnects, restarts, cancels, stops and expiries violate no invariant', async () => {
  const figures = await simulateDay({ dataDir: await temporaryDataFolder(), tasks, random: seededRandom(11) })
  const { completed = 0, failed = 0, cancelled = 0 } = figures.states
  expect(completed + failed + cancelled).toBe(tasks)
  expect(completed).toBeGreaterThan(tasks / 2)
  expect(figures.restarts).toBeGreaterThan(tasks * 0.03)
  expect(figures.disconnects).toBeGreaterThan(tasks * 0.05)
  expect(figures.expired).toBeGreaterThan(tasks * 0.05)
})
