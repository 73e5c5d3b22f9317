import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import { newId } from '../../src/contract/fields.ts'
import type { FileStore } from '../../src/files/store.ts'
import type { Attempt } from '../../src/tasks/worker-messages.ts'
import { executeTask } from '../../src/tasks/execute.ts'
import type { Service } from '../../src/tasks/service.ts'
import { api, pollUntil } from '../service/api.ts'
import { startTestService, type TestService, workerPoolSize } from '../service/in-process.ts'
import { checkInvariants } from '../service/invariants.ts'

let running: TestService
beforeAll(async () => {
  running = await startTestService()
  const { calls, create } = await openAccount()
  // Both workers are busy, so later tasks stay queued until a test executes them.
  for (let worker = 0; worker < workerPoolSize; worker += 1) {
    const id = await create()
    await pollUntil(
      () => calls.query('test_copy', id),
      ({ data }) => data.status === 'processing',
    )
  }
})
afterAll(() => running[Symbol.asyncDispose]())

/** An account, and a function that creates a task which does not end. */
async function openAccount() {
  const calls = api(await running.account(5))
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  const create = async () =>
    (await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })).data.task_id
  return { calls, create }
}

/** A queued task that starts only by a call of `executeTask`, and a scratch folder for it. */
async function queuedTask() {
  const { calls, create } = await openAccount()
  const id = await create()
  const { service } = running.running
  const scratch = await mkdtemp(join(tmpdir(), 'reelwright-execute-'))
  onTestFinished(() => rm(scratch, { recursive: true, force: true }))
  return { service, calls, id, scratch }
}

test('an attempt whose result cannot be recorded at first is recorded later', async () => {
  const { service, calls, id, scratch } = await queuedTask()
  let failures = 0
  const db: Service['db'] = new Proxy(service.db, {
    get(target, name) {
      if (name === 'transaction' && failures > 0) {
        failures -= 1
        throw new Error('the disk is full')
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const workers = {
    async run(): Promise<never> {
      failures = 2
      throw new MediaError(6017, 'this will never do')
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  await executeTask(
    { ...service, db },
    { workers, scratch, threads: 1 },
    { id, signal: new AbortController().signal },
  )
  expect(failures).toBe(0)
  expect((await calls.query('test_copy', id)).data).toMatchObject({
    status: 'failed',
    output_result: { error: { code: 6017 } },
  })
})

/** A queued task, and workers that return a result at once. */
async function waitingTask() {
  const task = await queuedTask()
  const workers = {
    async run({ scratch: folder }: Attempt) {
      const path = join(folder, 'result')
      await writeFile(path, 'result')
      const storedHashes = { file_id: newId(), path, name: 'result.txt' }
      return { output: { file_id: storedHashes.file_id }, granted: [], files: [storedHashes] }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { ...task, workers }
}

test('a task stopped while its results are stored stays stopped and has no results', async () => {
  const { service, calls, id, scratch, workers } = await waitingTask()
  const files: FileStore = {
    ...service.files,
    async adopt(path) {
      const bytes = await service.files.adopt(path)
      expect((await calls.stop(id)).data.status).toBe('failed')
      return bytes
    },
  }
  await executeTask(
    { ...service, files },
    { workers, scratch, threads: 1 },
    { id, signal: new AbortController().signal },
  )
  expect((await calls.query('test_copy', id)).data).toMatchObject({
    status: 'failed',
    output_result: { error: { code: 6009 } },
  })
  await checkInvariants(service.db, service.files)
})

test('a task whose result was removed before it was recorded is retried', async () => {
  const { service, calls, id, scratch, workers } = await waitingTask()
  const files: FileStore = {
    ...service.files,
    async adopt(path) {
      const bytes = await service.files.adopt(path)
      await service.files.remove(bytes.blake3)
      return bytes
    },
  }
  await executeTask(
    { ...service, files },
    { workers, scratch, threads: 1 },
    { id, signal: new AbortController().signal },
  )
  expect((await calls.query('test_copy', id)).data.status).toBe('queued')
  await checkInvariants(service.db, service.files)
})

// Last, because it changes a status without a refund, which breaks the invariants.
test('result files are removed when their task was stopped while they were stored', async () => {
  const { service, calls, id, scratch } = await queuedTask()
  const resultPath = join(scratch, 'result')
  const storedHashes: string[] = []
  const files: FileStore = {
    ...service.files,
    async adopt(path) {
      const bytes = await service.files.adopt(path)
      storedHashes.push(bytes.blake3)
      // Too late to abort the attempt.
      await service.db.updateTable('tasks').set({ status: 'failed' }).where('id', '=', id).execute()
      return bytes
    },
  }
  const workers = {
    async run() {
      await writeFile(resultPath, 'unused result')
      return {
        output: {},
        granted: [],
        files: [{ file_id: newId(Date.now()), path: resultPath, name: 'result.txt' }],
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  const { signal } = new AbortController()
  await executeTask({ ...service, files }, { workers, scratch, threads: 1 }, { id, signal })
  expect(storedHashes).toHaveLength(1)
  expect(await service.files.has(storedHashes[0] ?? '')).toBe(false)
  expect((await calls.query('test_copy', id)).data.status).toBe('failed')
})
