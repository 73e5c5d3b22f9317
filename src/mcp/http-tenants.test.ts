import { InMemoryServerEventBus, McpServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { MediaError } from '../contract/errors.ts'
import { type Tenant, TenantRegistry } from './http-tenants.ts'

/** Callers of tenants that say which are open, and how often each key was checked. */
function open({ check = async () => undefined }: { check?: (key: string) => Promise<void> } = {}) {
  const opened = new Set<string>()
  const checks: string[] = []
  const atWork = new Set<string>()
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
        return atWork.has(key)
      },
      [Symbol.asyncDispose]: async () => void opened.delete(key),
    }
  }
  const callers = new TenantRegistry({ open: tenant, clock: () => now, report: () => undefined })
  return { callers, opened, checks, atWork, pass: (ms: number) => void (now += ms) }
}

test('a key is checked once a minute, however many requests come at once', async () => {
  const { callers, checks, opened, pass } = open()
  const entered = await Promise.all(Array.from({ length: 20 }, () => callers.admit('a')))
  expect(new Set(entered).size).toBe(1)
  await callers.admit('a')
  expect(checks).toEqual(['a'])
  pass(60_001)
  await callers.admit('a')
  expect([checks, [...opened]]).toEqual([['a', 'a'], ['a']])
})

test('a key that is refused leaves nothing, and one that cannot be checked keeps what it has', async () => {
  const refused = new MediaError(6502, 'no')
  const answers = [undefined, new MediaError(6401, 'not there'), refused]
  const { callers, opened, pass } = open({
    async check() {
      const answer = answers.shift()
      if (answer) throw answer
    },
  })
  await callers.admit('a')
  pass(60_001)
  await expect(callers.admit('a')).rejects.toMatchObject({ code: 6401 })
  expect([...opened]).toEqual(['a'])
  await expect(callers.admit('a')).rejects.toBe(refused)
  expect([...opened]).toEqual([])
  answers.push(refused)
  await expect(callers.admit('b')).rejects.toBe(refused)
  expect([...opened]).toEqual([])
})

test('one that rests for half an hour is forgotten, one that works is not', async () => {
  const { callers, opened, pass } = open()
  const working = await callers.admit('works')
  const resting = await callers.admit('rests')
  resting.activeRequests -= 1
  pass(30 * 60_000)
  await callers.sweep()
  expect([...opened]).toEqual(['works'])
  working.activeRequests -= 1
  await callers.sweep()
  expect([...opened]).toEqual([])
})

test('a tenant with an upload in the background is not removed', async () => {
  const { callers, opened, atWork, pass } = open()
  const caller = await callers.admit('a')
  caller.activeRequests -= 1
  atWork.add('a')
  pass(31 * 60_000)
  await callers.sweep()
  expect([...opened]).toEqual(['a'])
  atWork.delete('a')
  await callers.sweep()
  expect([...opened]).toEqual([])
})

test('a key that comes back is not forgotten while it is checked', async () => {
  const gate = Promise.withResolvers<void>()
  const waits = [Promise.resolve(), gate.promise]
  const { callers, opened, pass } = open({ check: async () => await waits.shift() })
  const caller = await callers.admit('a')
  caller.activeRequests -= 1
  pass(31 * 60_000)
  const back = callers.admit('a')
  await callers.sweep()
  gate.resolve()
  expect(await back).toBe(caller)
  expect([...opened]).toEqual(['a'])
})

test('a service that says nothing about a key is not waited for any longer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { callers, opened } = open({ check: () => new Promise(() => undefined) })
  await Promise.all([
    expect(callers.admit('a')).rejects.toMatchObject({ code: 6402 }),
    vi.advanceTimersByTimeAsync(10_000),
  ])
  expect([...opened]).toEqual([])
})

test('beyond the bound the one that rests longest goes; where all work nobody new is let in', async () => {
  const { callers, opened } = open()
  const keys = Array.from({ length: 256 }, (_, index) => `key ${index}`)
  const entered = await Promise.all(keys.map((key) => callers.admit(key)))
  await expect(callers.admit('new')).rejects.toMatchObject({ code: 6402 })
  expect(opened.has('new')).toBe(false)
  for (const caller of [entered[7], entered[9]]) if (caller) caller.activeRequests -= 1
  await callers.admit('new')
  expect([opened.has('key 7'), opened.has('key 9'), opened.size]).toEqual([false, true, 256])
  await callers.close()
  expect(opened.size).toBe(0)
})
