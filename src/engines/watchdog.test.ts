import { expect, test } from 'vitest'
import { ManualClock } from '../../test/daemon/manual-clock.ts'
import { parseProcessorTime } from './process-tree.ts'
import { Watchdog } from './watchdog.ts'

/** A watchdog of 60 s over a program whose processor time the test sets, ms. */
function watched(processorMs: number | undefined = 0) {
  const clock = new ManualClock()
  const program: { processorMs: number | undefined; stalls: number } = { processorMs, stalls: 0 }
  const watchdog = new Watchdog({
    ...{ stallMs: 60_000, clock },
    processorMs: () => Promise.resolve(program.processorMs),
    onStall: () => (program.stalls += 1),
  })
  return { clock, program, watchdog }
}

test('a program without progress is reported once, after the bound', async () => {
  const { clock, program } = watched()
  await clock.advance(50_000)
  expect(program.stalls).toBe(0)
  await clock.advance(20_000)
  expect(program.stalls).toBe(1)
  await clock.advance(600_000)
  expect(program.stalls).toBe(1)
})

test.each<[string, (state: ReturnType<typeof watched>) => void]>([
  ['output', ({ watchdog }) => watchdog.progress()],
  ['processor time', ({ program }) => (program.processorMs = (program.processorMs ?? 0) + 5000)],
  ['the end of a child process', ({ program }) => (program.processorMs = (program.processorMs ?? 0) - 1)],
])('%s is progress', async (_, act) => {
  const state = watched()
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await state.clock.advance(40_000)
    act(state)
  }
  expect(state.program.stalls).toBe(0)
})

test('little processor time adds up, but the time of a waiting program is no progress', async () => {
  const slow = watched()
  for (let seconds = 0; seconds < 600; seconds += 10) {
    slow.program.processorMs = (slow.program.processorMs ?? 0) + 20
    await slow.clock.advance(10_000)
  }
  expect(slow.program.stalls).toBe(0)
  const idle = watched()
  for (let seconds = 0; seconds < 120; seconds += 10) {
    idle.program.processorMs = (idle.program.processorMs ?? 0) + 1
    await idle.clock.advance(10_000)
  }
  expect(idle.program.stalls).toBe(1)
})

test('time in which the program waits for this process does not count', async () => {
  const { clock, program, watchdog } = watched()
  const [one, other] = [watchdog.wait(), watchdog.wait()]
  await clock.advance(600_000)
  one[Symbol.dispose]()
  one[Symbol.dispose]()
  await clock.advance(600_000)
  expect(program.stalls).toBe(0)
  other[Symbol.dispose]()
  await clock.advance(70_000)
  expect(program.stalls).toBe(1)
})

test('where the processor time is unknown, the bound is ten times as long', async () => {
  const { clock, program } = watched()
  program.processorMs = undefined
  await clock.advance(500_000)
  expect(program.stalls).toBe(0)
  await clock.advance(200_000)
  expect(program.stalls).toBe(1)
})

test('a watchdog that is disposed leaves no timer', () => {
  const { clock, watchdog } = watched()
  watchdog[Symbol.dispose]()
  expect(clock.pendingCount).toBe(0)
})

test('times of ps are parsed', () => {
  expect(['0:01.50', '12:03', '1:00:00', '2-01:00:00', '-'].map(parseProcessorTime)).toEqual([
    1500,
    723_000,
    3_600_000,
    176_400_000,
    undefined,
  ])
})
