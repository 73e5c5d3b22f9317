import { InMemoryServerEventBus, McpServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { MediaError } from '../contract/errors.ts'
import { type Tenant, TenantRegistry } from './http-tenants.ts'

/** Creates a registry whose tenants record which of them are open and how often each key was checked. */
function createRegistry({ check = async () => undefined }: { check?: (key: string) => Promise<void> } = {}) {
  const opened = new Set<string>()
  const checks: string[] = []
  const busyKeys = new Set<string>()
  let now = 0
  const tenant = (key: string): Tenant => {
    opened.add(key)
    return {
      async check() {
        checks.push(key)
        await check(key)
      },
      buildServer: () => new McpServer({ name: 'test', version: '0' }),
      notify: () => () => undefined,
      changes: new InMemoryServerEventBus(),
      get isBusy() {
        return busyKeys.has(key)
      },
      [Symbol.asyncDispose]: async () => void opened.delete(key),
    }
  }
  const registry = new TenantRegistry({ open: tenant, clock: () => now, report: () => undefined })
  return { registry, opened, checks, busyKeys, advanceClock: (ms: number) => void (now += ms) }
}

test('a key is checked once a minute, also for concurrent requests', async () => {
  const { registry, checks, opened, advanceClock } = createRegistry()
  const admissions = await Promise.all(Array.from({ length: 20 }, () => registry.admit('a')))
  expect(new Set(admissions).size).toBe(1)
  await registry.admit('a')
  expect(checks).toEqual(['a'])
  advanceClock(60_001)
  await registry.admit('a')
  expect([checks, [...opened]]).toEqual([['a', 'a'], ['a']])
})

test('a rejected key closes its tenant; a key that cannot be checked keeps it open', async () => {
  const rejection = new MediaError(6502, 'no')
  const outcomes = [undefined, new MediaError(6401, 'not there'), rejection]
  const { registry, opened, advanceClock } = createRegistry({
    async check() {
      const outcome = outcomes.shift()
      if (outcome) throw outcome
    },
  })
  await registry.admit('a')
  advanceClock(60_001)
  await expect(registry.admit('a')).rejects.toMatchObject({ code: 6401 })
  expect([...opened]).toEqual(['a'])
  await expect(registry.admit('a')).rejects.toBe(rejection)
  expect([...opened]).toEqual([])
  outcomes.push(rejection)
  await expect(registry.admit('b')).rejects.toBe(rejection)
  expect([...opened]).toEqual([])
})

test('a tenant that is idle for half an hour is closed; one with an active request is not', async () => {
  const { registry, opened, advanceClock } = createRegistry()
  const active = await registry.admit('active')
  const idle = await registry.admit('idle')
  idle.activeRequests -= 1
  advanceClock(30 * 60_000)
  await registry.sweep()
  expect([...opened]).toEqual(['active'])
  active.activeRequests -= 1
  await registry.sweep()
  expect([...opened]).toEqual([])
})

test('a tenant with an upload in the background is not removed', async () => {
  const { registry, opened, busyKeys, advanceClock } = createRegistry()
  const admitted = await registry.admit('a')
  admitted.activeRequests -= 1
  busyKeys.add('a')
  advanceClock(31 * 60_000)
  await registry.sweep()
  expect([...opened]).toEqual(['a'])
  busyKeys.delete('a')
  await registry.sweep()
  expect([...opened]).toEqual([])
})

test('a tenant is not closed while its returning key is checked', async () => {
  const gate = Promise.withResolvers<void>()
  const waits = [Promise.resolve(), gate.promise]
  const { registry, opened, advanceClock } = createRegistry({ check: async () => await waits.shift() })
  const admitted = await registry.admit('a')
  admitted.activeRequests -= 1
  advanceClock(31 * 60_000)
  const readmitted = registry.admit('a')
  await registry.sweep()
  gate.resolve()
  expect(await readmitted).toBe(admitted)
  expect([...opened]).toEqual(['a'])
})

test('a key check without a response times out', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { registry, opened } = createRegistry({ check: () => new Promise(() => undefined) })
  await Promise.all([
    expect(registry.admit('a')).rejects.toMatchObject({ code: 6402 }),
    vi.advanceTimersByTimeAsync(10_000),
  ])
  expect([...opened]).toEqual([])
})

test('above the tenant limit the longest idle one is closed; without an idle one, a new key is rejected', async () => {
  const { registry, opened } = createRegistry()
  const keys = Array.from({ length: 256 }, (_, index) => `key ${index}`)
  const admissions = await Promise.all(keys.map((key) => registry.admit(key)))
  await expect(registry.admit('new')).rejects.toMatchObject({ code: 6402 })
  expect(opened.has('new')).toBe(false)
  for (const admitted of [admissions[7], admissions[9]]) if (admitted) admitted.activeRequests -= 1
  await registry.admit('new')
  expect([opened.has('key 7'), opened.has('key 9'), opened.size]).toEqual([false, true, 256])
  await registry.close()
  expect(opened.size).toBe(0)
})
