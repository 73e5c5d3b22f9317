import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ProcessIdentity } from '../../src/platform/process-identity.ts'
import { api, pollUntil } from './api.ts'
import type { ServiceSequence } from './killable-service.ts'
import { findProcesses, waitUntilExited } from './processes.ts'

/** How running tasks are interrupted. */
export const interruptions = [
  'kill -9 of the worker',
  'kill -9 of the service',
  'a regular stop of the service',
] as const

export type Interruption = (typeof interruptions)[number]

/** Interrupts all running tasks of a service. */
export async function interrupt(services: ServiceSequence, how: Interruption): Promise<void> {
  if (how === 'kill -9 of the worker') return await killWorkers(services.dataDir)
  const service = await services.ensureRunning()
  await service.kill(how === 'kill -9 of the service' ? 'SIGKILL' : 'SIGTERM')
}

/** Kills all workers of the service of a data folder. */
export async function killWorkers(dataDir: string): Promise<void> {
  const run = join(dataDir, 'run')
  for (const name of (await readdir(run)).filter((one) => one.endsWith('.json'))) {
    const { pid } = JSON.parse(await readFile(join(run, name), 'utf8')) as ProcessIdentity
    process.kill(pid, 'SIGKILL')
  }
}

/** Encoders of pictures that tasks of a service started. */
export function findEncoders({ dataDir }: ServiceSequence): Promise<number[]> {
  return findProcesses('libx264', dataDir)
}

/** Waits until no program of a task works and no temporary file of a task remains. */
export async function waitUntilClean({ dataDir }: ServiceSequence): Promise<void> {
  // The name of the folder may contain that of the program.
  await pollUntil(
    () => findProcesses('-nostdin', dataDir),
    (pids) => pids.length === 0,
  )
  for (const name of ['scratch', 'steps'])
    await pollUntil(
      () => readdir(join(dataDir, name)),
      (left) => left.length === 0,
    )
}

/** A moment of a task, and how the task is interrupted then. */
export interface InterruptedMoment {
  readonly during: string
  /** Prepares the moment. Returns the programs that are suspended once it is reached. */
  reach(): Promise<readonly number[]>
  /** Absent if the service ends at the moment. */
  readonly how?: Interruption
}

/**
 * Creates a task and interrupts it at moments, one after another. Each is prepared before the interruption at the previous one.
 * Returns the id of the task.
 */
export async function createInterrupted(
  services: ServiceSequence,
  create: () => Promise<string>,
  moments: readonly InterruptedMoment[],
): Promise<string> {
  let reached = moments[0]?.reach()
  const id = await create()
  for (const [index, { how }] of moments.entries()) {
    const suspended = (await reached) ?? []
    reached = moments[index + 1]?.reach()
    if (how) await interrupt(services, how)
    await waitUntilExited(suspended)
    await services.ensureRunning()
  }
  return id
}

/** Returns the title of a test of such interruptions. */
export function titleOf(moments: readonly InterruptedMoment[]): string {
  return moments.map(({ during, how }) => (how ? `${how} during ${during}` : during)).join(', ')
}

interface EndTasksOptions {
  readonly type: string
  /** Credits of one task. */
  readonly credits: number
  create(): Promise<string>
  /** Prepares the moment before the task is created. Returns the programs that are suspended once it is reached. */
  reach(): Promise<readonly number[]>
}

/**
 * Stops a task at a moment, and cancels another one that waits behind it; the service must run one task at a time. Expects
 * that both are refunded, and that no program and no temporary file remains.
 */
export async function expectRefunds(
  services: ServiceSequence,
  { type, credits, create, reach }: EndTasksOptions,
): Promise<void> {
  const calls = api(await services.ensureRunning())
  const balance = await calls.balance()
  const reached = reach()
  const running = await create()
  const suspended = await reached
  const queued = await create()
  expect(await calls.balance()).toBe(balance - 2 * credits)
  expect((await calls.cancel(running)).code).toBe(6007)
  expect((await calls.cancel(queued)).code).toBe(200)
  expect(await calls.balance()).toBe(balance - credits)
  expect(await calls.stop(running)).toMatchObject({
    data: { status: 'failed', output_result: { error: { code: 6009 } } },
  })
  await waitUntilExited(suspended)
  await waitUntilClean(services)
  expect(await calls.balance()).toBe(balance)
  expect((await calls.query(type, running)).data.status).toBe('failed')
  expect((await calls.query(type, queued)).data.status).toBe('cancelled')
}
