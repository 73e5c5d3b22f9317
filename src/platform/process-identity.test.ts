import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  killProcessGroup,
  identifyProcess,
  startTimeFromStat,
  type ProcessIdentity,
} from './process-identity.ts'

// A leader of its own group with one child; prints the child's pid.
const leaderScript = `
  const { spawn } = require('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  child.once('spawn', () => console.log(child.pid))
  setInterval(() => {}, 1e6)
`

interface Group {
  readonly process: ChildProcess
  readonly leader: ProcessIdentity
  readonly member: ProcessIdentity
}

async function startGroup(): Promise<Group> {
  const started = spawn(process.execPath, ['-e', leaderScript], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(started.stdout, 'data')) as [Buffer]
  const group = {
    process: started,
    leader: await requireIdentity(started.pid),
    member: await requireIdentity(Number(line)),
  }
  onTestFinished(() => killProcessGroup(group.leader))
  return group
}

async function requireIdentity(pid: number | undefined): Promise<ProcessIdentity> {
  const identity = await identifyProcess(pid ?? 0)
  if (!identity) throw new Error(`process ${pid} is not running`)
  return identity
}

test('a process has the same identity while it runs, and none afterwards', async () => {
  const { process: started, leader } = await startGroup()
  expect(await identifyProcess(leader.pid)).toEqual(leader)
  started.kill('SIGKILL')
  await once(started, 'exit')
  expect(await identifyProcess(leader.pid)).toBeNull()
})

test.each([0, -1, 1.5, Number.NaN, 2 ** 40])('%s is not a pid', async (pid) => {
  expect(await identifyProcess(pid)).toBeNull()
})

test('killProcessGroup ends leader and members', async () => {
  const { leader, member } = await startGroup()
  await killProcessGroup(leader)
  await expect.poll(() => identifyProcess(leader.pid)).toBeNull()
  await expect.poll(() => identifyProcess(member.pid)).toBeNull()
})

test('killProcessGroup ends members of a leader that has exited', async () => {
  const { process: started, leader, member } = await startGroup()
  started.kill('SIGKILL')
  await once(started, 'exit')
  expect(await identifyProcess(member.pid)).toEqual(member)
  await killProcessGroup(leader)
  await expect.poll(() => identifyProcess(member.pid)).toBeNull()
})

test('a recycled pid is not signalled', async () => {
  const { leader, member } = await startGroup()
  const [boot] = leader.startTime.split('/')
  await killProcessGroup({ pid: leader.pid, startTime: `${boot}/1` })
  await killProcessGroup({ pid: leader.pid, startTime: leader.startTime.replace(/^./, 'z') })
  expect(await identifyProcess(leader.pid)).toEqual(leader)
  expect(await identifyProcess(member.pid)).toEqual(member)
})

test('a group of an earlier boot is not signalled, although its leader has exited', async () => {
  const { process: started, leader, member } = await startGroup()
  started.kill('SIGKILL')
  await once(started, 'exit')
  await killProcessGroup({ pid: leader.pid, startTime: leader.startTime.replace(/^[^/]+/, 'another-boot') })
  expect(await identifyProcess(member.pid)).toEqual(member)
})

test.each([0, 1, -5, 1.5, Number.NaN, process.pid])('pid %s is never signalled', async (pid) => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  onTestFinished(() => kill.mockRestore())
  const own = await requireIdentity(process.pid)
  await killProcessGroup({ pid, startTime: own.startTime })
  expect(kill).not.toHaveBeenCalled()
})

test.each([
  ['a plain name', '7 (node) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 7 0 4711 1 2', 'boot/4711'],
  ['spaces and parentheses', '7 (a) R (b) S 1 7 7 0 -1 0 1 0 0 0 0 0 0 0 20 0 7 0 4711 1', 'boot/4711'],
  ['a zombie', '7 (node) Z 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 7 0 4711 1 2', null],
  ['something else', 'not a stat line', null],
])('start time from stat: %s', (_, stat, expected) => {
  expect(startTimeFromStat(stat, 'boot')).toBe(expected)
})
