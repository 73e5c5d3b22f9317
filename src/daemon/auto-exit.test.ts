import { expect, test } from 'vitest'
import { ManualClock } from '../../test/daemon/manual-clock.ts'
import { createIdleExit, createSettingsExit } from './auto-exit.ts'

const minute = 60_000

interface Daemon {
  busy: boolean | Error
  activity: number
  exits: number
}

function watchIdle(idleMs?: number) {
  const clock = new ManualClock()
  const daemon: Daemon = { busy: false, activity: clock.now(), exits: 0 }
  const idleExit = createIdleExit({
    idleMs,
    clock,
    isBusy: async () => {
      if (daemon.busy instanceof Error) throw daemon.busy
      return daemon.busy
    },
    lastActivity: () => daemon.activity,
    exit: () => void (daemon.exits += 1),
  })
  return { clock, daemon, idleExit }
}

test('without work and requests it exits after half an hour, once', async () => {
  const { clock, daemon } = watchIdle()
  await clock.advance(30 * minute - 1)
  expect(daemon.exits).toBe(0)
  await clock.advance(1)
  expect(daemon.exits).toBe(1)
  await clock.advance(600 * minute)
  expect(daemon.exits).toBe(1)
})

test('a request begins the time anew', async () => {
  const { clock, daemon } = watchIdle(10 * minute)
  await clock.advance(9 * minute)
  daemon.activity = clock.now()
  await clock.advance(10 * minute - 1)
  expect(daemon.exits).toBe(0)
  await clock.advance(1)
  expect(daemon.exits).toBe(1)
})

test('work keeps it, and the whole time passes again after the work', async () => {
  const { clock, daemon } = watchIdle(10 * minute)
  daemon.busy = true
  await clock.advance(60 * minute)
  daemon.busy = false
  await clock.advance(9 * minute)
  expect(daemon.exits).toBe(0)
  await clock.advance(minute)
  expect(daemon.exits).toBe(1)
})

test('it stays while it cannot tell whether it has work', async () => {
  const { clock, daemon } = watchIdle(10 * minute)
  daemon.busy = new Error('the database does not answer')
  await clock.advance(60 * minute)
  expect(daemon.exits).toBe(0)
})

test('disposed it never exits', async () => {
  const { clock, daemon, idleExit } = watchIdle(10 * minute)
  idleExit[Symbol.dispose]()
  await clock.advance(60 * minute)
  expect(daemon.exits).toBe(0)
  expect(clock.pendingCount).toBe(0)
})

function watchSettings() {
  const clock = new ManualClock()
  const seen = { outdated: false as boolean | Error, busy: false as boolean | Error, answering: false }
  const daemon = { ...seen, activity: clock.now(), exits: 0 }
  const valueOrThrow = (value: boolean | Error): boolean => {
    if (value instanceof Error) throw value
    return value
  }
  const exit = createSettingsExit({
    clock,
    isOutdated: async () => valueOrThrow(daemon.outdated),
    service: {
      isBusy: async () => valueOrThrow(daemon.busy),
      hasOpenRequests: () => daemon.answering,
      lastActivity: () => daemon.activity,
    },
    exit: () => void (daemon.exits += 1),
  })
  return { clock, daemon, exit }
}

test('it stays while its settings are those of the start, and leaves once when they are others', async () => {
  const { clock, daemon } = watchSettings()
  await clock.advance(3_600_000)
  expect(daemon.exits).toBe(0)
  daemon.outdated = true
  await clock.advance(500)
  expect(daemon.exits).toBe(1)
  await clock.advance(3_600_000)
  expect(daemon.exits).toBe(1)
})

test.each([
  ['has work', { busy: true }],
  ['answers a request', { answering: true }],
  ['cannot tell whether it has work', { busy: new Error('the database does not answer') }],
  ['cannot read its settings', { outdated: new Error('no JSON') }],
])('it stays while it %s, and leaves after that', async (_, state) => {
  const { clock, daemon } = watchSettings()
  Object.assign(daemon, { outdated: true }, state)
  await clock.advance(3_600_000)
  expect(daemon.exits).toBe(0)
  Object.assign(daemon, { outdated: true, busy: false, answering: false })
  await clock.advance(500)
  expect(daemon.exits).toBe(1)
})

test('it lets a second pass after a request', async () => {
  const { clock, daemon } = watchSettings()
  daemon.outdated = true
  for (let request = 0; request < 10; request += 1) {
    daemon.activity = clock.now()
    await clock.advance(900)
  }
  expect(daemon.exits).toBe(0)
  await clock.advance(1000)
  expect(daemon.exits).toBe(1)
})

test('disposed it never leaves', async () => {
  const { clock, daemon, exit } = watchSettings()
  daemon.outdated = true
  exit[Symbol.dispose]()
  await clock.advance(3_600_000)
  expect([daemon.exits, clock.pendingCount]).toEqual([0, 0])
})
