import { expect, test } from 'vitest'
import { seeded } from '../service/kill-rounds.ts'
import { eras } from '../mcp/stdio-client.ts'
import { fuzzService } from './service.ts'
import { fuzzTools } from './tools.ts'

test('5000 generated requests to every endpoint: no 500, no hang, no growth', async () => {
  const { requests, statuses, slowest, resident } = await fuzzService(5000, seeded(20_261_122))
  expect(requests).toBe(5000)
  // The requests reach the code under test.
  expect(statuses[200]).toBeGreaterThan(1000)
  expect(statuses[400]).toBeGreaterThan(500)
  expect(slowest).toBeLessThan(15_000)
  const [early, late] = resident
  expect(late - early, 'MiB that four fifths of the requests cost').toBeLessThan(64)
})

test.each(eras)('150 generated calls of the tools, %s client: no bug, no hang, no growth', async (era) => {
  const { calls, refused, slowest, resident } = await fuzzTools(150, { random: seeded(20_261_123), era })
  expect(calls).toBe(150)
  expect(refused).toBeGreaterThan(30)
  expect(refused).toBeLessThan(145)
  expect(slowest).toBeLessThan(45_000)
  const [early, late] = resident
  expect(late - early, 'MiB that four fifths of the calls cost').toBeLessThan(64)
})
