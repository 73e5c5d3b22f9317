import { expect, test } from 'vitest'
import { seededRandom } from '../service/kill-rounds.ts'
import { eras } from '../mcp/stdio-client.ts'
import { soakSize } from '../soak-size.ts'
import { fuzzService } from './service.ts'
import { fuzzTools } from './tools.ts'

const requestCount = soakSize(1000, 20_000)
const callCount = soakSize(30, 500)

test(`${requestCount} generated requests to every endpoint: no 500, no hang, no growth`, async () => {
  const { requests, statuses, slowest, resident } = await fuzzService(requestCount, seededRandom(20_261_122))
  expect(requests).toBe(requestCount)
  // The requests reach the code under test.
  expect(statuses[200]).toBeGreaterThan(requestCount / 5)
  expect(statuses[400]).toBeGreaterThan(requestCount / 10)
  expect(slowest).toBeLessThan(15_000)
  const [early, late] = resident
  expect(late - early, 'MiB that four fifths of the requests cost').toBeLessThan(64)
})

test.each(eras)(
  `${callCount} generated calls of the tools, %s client: no bug, no hang, no growth`,
  async (era) => {
    const { calls, refused, slowest, resident } = await fuzzTools(callCount, {
      random: seededRandom(20_261_123),
      era,
    })
    expect(calls).toBe(callCount)
    expect(refused).toBeGreaterThan(callCount / 5)
    expect(refused).toBeLessThan(callCount * 0.97)
    expect(slowest).toBeLessThan(45_000)
    const [early, late] = resident
    expect(late - early, 'MiB that four fifths of the calls cost').toBeLessThan(64)
  },
)
