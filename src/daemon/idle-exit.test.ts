import { expect, test } from 'vitest'
import { HandClock } from '../../test/daemon/hand-clock.ts'
import { createIdleExit } from './idle-exit.ts'

const minute = 60_000

interface Daemon {
  busy: boolean | Error
  activity: number
  exits: number
}

function watch(idleMs?: number) {
  const clock = new HandClock()
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
  const { clock, daemon } = watch()
  await clock.pass(30 * minute - 1)
  expect(daemon.exits).toBe(0)
  await clock.pass(1)
  expect(daemon.exits).toBe(1)
  await clock.pass(600 * minute)
  expect(daemon.exits).toBe(1)
})

test('a request begins the time anew', async () => {
  const { clock, daemon } = watch(10 * minute)
  await clock.pass(9 * minute)
  daemon.activity = clock.now()
  await clock.pass(10 * minute - 1)
  expect(daemon.exits).toBe(0)
  await clock.pass(1)
  expect(daemon.exits).toBe(1)
})

test('work keeps it, and the whole time passes again after the work', async () => {
  const { clock, daemon } = watch(10 * minute)
  daemon.busy = true
  await clock.pass(60 * minute)
  daemon.busy = false
  await clock.pass(9 * minute)
  expect(daemon.exits).toBe(0)
  await clock.pass(minute)
  expect(daemon.exits).toBe(1)
})

test('it stays while it cannot tell whether it has work', async () => {
  const { clock, daemon } = watch(10 * minute)
  daemon.busy = new Error('the database does not answer')
  await clock.pass(60 * minute)
  expect(daemon.exits).toBe(0)
})

test('disposed it never exits', async () => {
  const { clock, daemon, idleExit } = watch(10 * minute)
  idleExit[Symbol.dispose]()
  await clock.pass(60 * minute)
  expect(daemon.exits).toBe(0)
  expect(clock.waiting).toBe(0)
})
