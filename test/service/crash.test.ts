import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/open.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import type { ProcessIdentity } from '../../src/platform/process-identity.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import { api, pollUntil } from './api.ts'
import { temporaryDataFolder, startKillableService, createServiceSequence } from './killable-service.ts'
import { checkInvariants } from './invariants.ts'
import { killRounds, seededRandom } from './kill-rounds.ts'
import { findTestProcesses, waitUntilExited } from './processes.ts'

/** Every durable step of a task, in order. */
const durableSteps = [
  'files.put.written',
  'files.put.synced',
  'files.put.renamed',
  'upload.before-commit',
  'upload.after-commit',
  'submit.before-commit',
  'submit.after-commit',
  'move.processing.before-commit',
  'move.processing.after-commit',
  'execute.staged',
  'execute.finished',
  'execute.adopted',
  'move.completed.before-commit',
  'move.completed.after-commit',
]

interface TaskIds {
  readonly total: number
  readonly list: readonly { readonly id: string }[]
}

const services = createServiceSequence()
const rounds = soakSize(3, 40)

describe('kill -9 of the service at each durable step', () => {
  test.for(sampleCases(durableSteps, 4))('%s', async (point) => {
    const { dataDir } = services
    const armedService = await services.ensureRunning()
    const before = api(armedService)
    const { data: earlier } = await before.send<TaskIds>('/task/list')
    await armedService.arm(point)
    // Acknowledged before the crash; an interrupted call acknowledged nothing.
    const file = await before.upload('a.txt', `bytes of ${point}`).catch(() => null)
    const task = file && (await before.create('test_copy', { file_id: file.data.file_id }).catch(() => null))
    await armedService.exited
    expect(armedService.process.signalCode, 'the failpoint was reached').toBe('SIGKILL')

    const after = api(await services.ensureRunning())
    const again = file ?? (await after.upload('a.txt', `bytes of ${point}`))
    expect(Buffer.from(await after.download(again.data.file_id)).toString()).toBe(`bytes of ${point}`)
    const { data: now } = await after.send<TaskIds>('/task/list')
    // Acknowledged tasks exist, and at most one more, committed before the response was cut off.
    const createdIds = now.list.slice(0, now.total - earlier.total).map(({ id }) => id)
    expect(now.list.slice(createdIds.length)).toEqual(earlier.list)
    const cutOff = point === 'submit.after-commit' || point.startsWith('move.processing')
    expect(task ? createdIds : createdIds.length).toEqual(task ? [task.data.task_id] : Number(cutOff))
    for (const id of createdIds) {
      const done = await after.ended('test_copy', id)
      expect(done.data).toMatchObject({ status: 'completed', progress: 100 })
      const { file_id } = done.data.output_result as { file_id: string }
      expect(Buffer.from(await after.download(file_id)).toString()).toBe(`bytes of ${point}`)
    }
    await check(dataDir)
  })
})

test('content without a record after kill -9 is removed at the next start', async () => {
  const dataDir = await temporaryDataFolder()
  const armedService = await startKillableService(dataDir)
  await armedService.arm('upload.before-commit')
  await expect(api(armedService).upload('a.txt', 'bytes')).rejects.toThrow('fetch failed')
  await armedService.exited
  expect(await stored(dataDir)).toHaveLength(1)
  await startKillableService(dataDir)
  expect(await stored(dataDir)).toEqual([])
})

/** Hashes of all content in the store. */
async function stored(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'files', 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

describe('kill -9 of the service while a task is requeued, fails or is cancelled', () => {
  const steps = ['queued', 'failed', 'cancelled'].flatMap((state) => [
    [state, 'before-commit'] as const,
    [state, 'after-commit'] as const,
  ])
  test.for(sampleCases(steps, 2))('move.%s.%s', async ([state, moment]) => {
    const { dataDir } = services
    const armedService = await services.ensureRunning()
    await armedService.arm(`move.${state}.${moment}`)
    const before = api(armedService)
    const { data: file } = await before.upload('a.txt', 'bytes')
    const create = (behaviour: string) => before.create('test_copy', { file_id: file.file_id, behaviour })
    const ids: string[] = []
    // Two tasks keep both workers busy, so that the third is still queued when it is cancelled.
    const behaviours = { queued: ['break'], failed: ['refuse'], cancelled: ['wait', 'wait', 'wait'] }[state]
    for (const behaviour of behaviours ?? []) ids.push((await create(behaviour)).data.task_id)
    if (state === 'cancelled') await before.cancel(ids[2] ?? '').catch(() => null)
    await armedService.exited
    expect(armedService.process.signalCode, 'the failpoint was reached').toBe('SIGKILL')
    await check(dataDir)

    const after = api(await services.ensureRunning())
    for (const id of ids) expect((await after.query('test_copy', id)).data.task_id).toBe(id)
    if (state === 'failed') expect((await after.ended('test_copy', ids[0] ?? '')).data.status).toBe('failed')
    if (state === 'cancelled') {
      const committed = moment === 'after-commit'
      expect((await after.cancel(ids[2] ?? '')).code).toBe(committed ? 6007 : 200)
    }
    // Running tasks would change during the check and disturb the next step.
    for (const id of ids) await after.stop(id)
    await check(dataDir)
  })
})

/** Reads the database through a second connection. */
async function check(dataDir: string): Promise<void> {
  const db = await openDatabase({ path: join(dataDir, 'reelwright.sqlite') })
  await checkInvariants(db, await openDiskStore(join(dataDir, 'files')))
  await db.destroy()
}

async function workersOf(dataDir: string): Promise<ProcessIdentity[]> {
  const folder = join(dataDir, 'run')
  const names = await readdir(folder)
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as ProcessIdentity),
  )
}

describe('kill -9 of a worker', () => {
  test('is a failed attempt, retried; the third one fails the task and refunds it once', async () => {
    const { dataDir } = services
    const calls = api(await services.ensureRunning())
    const { data: file } = await calls.upload('a.txt', 'bytes')
    const { data: task } = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'crash' })
    const done = await calls.ended('test_copy', task.task_id)
    expect(done.data).toMatchObject({
      status: 'failed',
      output_result: { error: { code: 6500, retryable: true } },
    })
    await check(dataDir)
  })

  test('ends the processes of the worker', async () => {
    // The only worker of its service.
    const dataDir = await temporaryDataFolder()
    const calls = api(await startKillableService(dataDir))
    const { data: file } = await calls.upload('a.txt', 'bytes')
    const { data: task } = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'outlive' })
    const program = await pollUntil(
      () => findTestProcesses(dataDir),
      (pids) => pids.length === 1,
    )
    const [worker] = await workersOf(dataDir)
    process.kill(worker?.pid ?? 0, 'SIGKILL')
    await waitUntilExited(program)
    const second = await pollUntil(
      () => calls.query('test_copy', task.task_id),
      ({ data }) => data.status === 'processing',
    )
    expect(second.code, 'the second attempt has started automatically').toBe(200)
  })
})

describe('kill -9 of the service while a worker works', () => {
  test('ends the worker and its processes; the task runs again without counting an attempt', async () => {
    const dataDir = await temporaryDataFolder()
    const armedService = await startKillableService(dataDir)
    const { data: file } = await api(armedService).upload('a.txt', 'bytes')
    await api(armedService).create('test_copy', { file_id: file.file_id, behaviour: 'outlive' })
    const program = await pollUntil(
      () => findTestProcesses(dataDir),
      (pids) => pids.length === 1,
    )
    const workers = (await workersOf(dataDir)).map(({ pid }) => pid)
    await armedService.kill('SIGKILL')
    await waitUntilExited([...workers, ...program])
    await startKillableService(dataDir)
    await pollUntil(
      () => findTestProcesses(dataDir),
      (pids) => pids.length === 1,
    )
    const db = await openDatabase({ path: join(dataDir, 'reelwright.sqlite') })
    expect(await db.selectFrom('tasks').select(['status', 'attempts']).executeTakeFirst()).toEqual({
      status: 'processing',
      attempts: 0,
    })
    await db.destroy()
  })
})

test(`${rounds} rounds of load and kill -9 lose and duplicate nothing`, async () => {
  const figures = await killRounds({
    dataDir: await temporaryDataFolder(),
    rounds,
    random: seededRandom(20_261_133),
  })
  expect(figures.leastTasks, 'so that the next bound holds on every machine').toBeGreaterThan(rounds * 5)
  expect(figures.tasks).toBeGreaterThan(rounds * 5)
})
