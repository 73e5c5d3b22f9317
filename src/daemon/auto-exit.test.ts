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

test('an idle daemon exits after half an hour, once', async () => {
  const { clock, daemon } = watchIdle()
  await clock.advance(30 * minute - 1)
  expect(daemon.exits).toBe(0)
  await clock.advance(1)
  expect(daemon.exits).toBe(1)
  await clock.advance(600 * minute)
  expect(daemon.exits).toBe(1)
})

test('a request restarts the idle time', async () => {
  const { clock, daemon } = watchIdle(10 * minute)
  await clock.advance(9 * minute)
  daemon.activity = clock.now()
  await clock.advance(10 * minute - 1)
  expect(daemon.exits).toBe(0)
  await clock.advance(1)
  expect(daemon.exits).toBe(1)
})

test('a daemon with work does not exit; the idle time starts when the work ends', async () => {
  const { clock, daemon } = watchIdle(10 * minute)
  daemon.busy = true
  await clock.advance(60 * minute)
  daemon.busy = false
  await clock.advance(9 * minute)
  expect(daemon.exits).toBe(0)
  await clock.advance(minute)
  expect(daemon.exits).toBe(1)
})

test('a daemon does not exit while its check for work fails', async () => {
  const { clock, daemon } = watchIdle(10 * minute)
  daemon.busy = new Error('the database does not respond')
  await clock.advance(60 * minute)
  expect(daemon.exits).toBe(0)
})

test('a disposed idle timer never exits the daemon', async () => {
  const { clock, daemon, idleExit } = watchIdle(10 * minute)
  idleExit[Symbol.dispose]()
  await clock.advance(60 * minute)
  expect(daemon.exits).toBe(0)
  expect(clock.pendingCount).toBe(0)
})

function watchSettings() {
  const clock = new ManualClock()
  const initialState = {
    outdated: false as boolean | Error,
    busy: false as boolean | Error,
    responding: false,
  }
  const daemon = { ...initialState, activity: clock.now(), exits: 0 }
  const valueOrThrow = (value: boolean | Error): boolean => {
    if (value instanceof Error) throw value
    return value
  }
  const exit = createSettingsExit({
    clock,
    isOutdated: async () => valueOrThrow(daemon.outdated),
    service: {
      isBusy: async () => valueOrThrow(daemon.busy),
      hasOpenRequests: () => daemon.responding,
      lastActivity: () => daemon.activity,
    },
    exit: () => void (daemon.exits += 1),
  })
  return { clock, daemon, exit }
}

test('a daemon exits once after its settings changed, and not before', async () => {
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
  ['responds to a request', { responding: true }],
  ['cannot check whether it has work', { busy: new Error('the database does not respond') }],
  ['cannot read its settings', { outdated: new Error('no JSON') }],
])('an outdated daemon does not exit while it %s, and exits afterwards', async (_, state) => {
  const { clock, daemon } = watchSettings()
  Object.assign(daemon, { outdated: true }, state)
  await clock.advance(3_600_000)
  expect(daemon.exits).toBe(0)
  Object.assign(daemon, { outdated: true, busy: false, responding: false })
  await clock.advance(500)
  expect(daemon.exits).toBe(1)
})

test('an outdated daemon exits only a second after the last request', async () => {
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

test('a disposed settings watcher never exits the daemon', async () => {
  const { clock, daemon, exit } = watchSettings()
  daemon.outdated = true
  exit[Symbol.dispose]()
  await clock.advance(3_600_000)
  expect([daemon.exits, clock.pendingCount]).toEqual([0, 0])
})
