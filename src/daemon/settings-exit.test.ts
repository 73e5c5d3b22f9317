import { expect, test } from 'vitest'
import { HandClock } from '../../test/daemon/hand-clock.ts'
import { createSettingsExit } from './settings-exit.ts'

function watch() {
  const clock = new HandClock()
  const seen = { outdated: false as boolean | Error, busy: false as boolean | Error, answering: false }
  const daemon = { ...seen, activity: clock.now(), exits: 0 }
  const told = (value: boolean | Error): boolean => {
    if (value instanceof Error) throw value
    return value
  }
  const exit = createSettingsExit({
    clock,
    isOutdated: async () => told(daemon.outdated),
    service: {
      isBusy: async () => told(daemon.busy),
      hasOpenRequests: () => daemon.answering,
      lastActivity: () => daemon.activity,
    },
    exit: () => void (daemon.exits += 1),
  })
  return { clock, daemon, exit }
}

test('it stays while its settings are those of the start, and leaves once when they are others', async () => {
  const { clock, daemon } = watch()
  await clock.pass(3_600_000)
  expect(daemon.exits).toBe(0)
  daemon.outdated = true
  await clock.pass(500)
  expect(daemon.exits).toBe(1)
  await clock.pass(3_600_000)
  expect(daemon.exits).toBe(1)
})

test.each([
  ['has work', { busy: true }],
  ['answers a request', { answering: true }],
  ['cannot tell whether it has work', { busy: new Error('the database does not answer') }],
  ['cannot read its settings', { outdated: new Error('no JSON') }],
])('it stays while it %s, and leaves after that', async (_, state) => {
  const { clock, daemon } = watch()
  Object.assign(daemon, { outdated: true }, state)
  await clock.pass(3_600_000)
  expect(daemon.exits).toBe(0)
  Object.assign(daemon, { outdated: true, busy: false, answering: false })
  await clock.pass(500)
  expect(daemon.exits).toBe(1)
})

test('it lets a second pass after a request', async () => {
  const { clock, daemon } = watch()
  daemon.outdated = true
  for (let request = 0; request < 10; request += 1) {
    daemon.activity = clock.now()
    await clock.pass(900)
  }
  expect(daemon.exits).toBe(0)
  await clock.pass(1000)
  expect(daemon.exits).toBe(1)
})

test('disposed it never leaves', async () => {
  const { clock, daemon, exit } = watch()
  daemon.outdated = true
  exit[Symbol.dispose]()
  await clock.pass(3_600_000)
  expect([daemon.exits, clock.waiting]).toEqual([0, 0])
})
