import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import { newId } from '../../src/contract/fields.ts'
import type { FileStore } from '../../src/files/store.ts'
import type { Attempt } from '../../src/tasks/worker-messages.ts'
import { executeTask } from '../../src/tasks/execute.ts'
import type { Service } from '../../src/tasks/service.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { checkInvariants } from '../service/invariants.ts'

test('an attempt whose end cannot be written at once is not forgotten', async () => {
  await using running = await startTestService()
  const { service, calls, id, scratch } = await queuedTask(running)
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

test('results of a task that was stopped as they were kept are freed', async () => {
  await using running = await startTestService()
  const { service, calls, id, scratch } = await queuedTask(running)
  const made = join(scratch, 'made')
  const kept: string[] = []
  const files: FileStore = {
    ...service.files,
    async adopt(path) {
      const bytes = await service.files.adopt(path)
      kept.push(bytes.blake3)
      // Too late for the attempt to hear of it.
      await service.db.updateTable('tasks').set({ status: 'failed' }).where('id', '=', id).execute()
      return bytes
    },
  }
  const workers = {
    async run() {
      await writeFile(made, 'made in vain')
      return { output: {}, files: [{ file_id: newId(Date.now()), path: made, name: 'made.txt' }] }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  const { signal } = new AbortController()
  await executeTask({ ...service, files }, { workers, scratch, threads: 1 }, { id, signal })
  expect(kept).toHaveLength(1)
  expect(await service.files.has(kept[0] ?? '')).toBe(false)
  expect((await calls.query('test_copy', id)).data.status).toBe('failed')
})

/** A queued task that only a call of `executeTask` takes up, and a scratch folder for it. */
async function queuedTask(running: TestService) {
  const account = await running.account(5)
  const calls = api(account)
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  // Both workers are busy, so that the third task stays for the test to execute.
  const create = () => calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })
  const created = [await create(), await create(), await create()]
  const id = created[2]?.data.task_id ?? ''

  const { service } = running.running
  const scratch = await mkdtemp(join(tmpdir(), 'reelwright-execute-'))
  onTestFinished(() => rm(scratch, { recursive: true, force: true }))
  return { service, calls, id, scratch }
}

/** Such a task, and workers that have a result for it at once. */
async function waitingTask(running: TestService) {
  const task = await queuedTask(running)
  const workers = {
    async run({ scratch: folder }: Attempt) {
      const path = join(folder, 'result')
      await writeFile(path, 'result')
      const kept = { file_id: newId(), path, name: 'result.txt' }
      return { output: { file_id: kept.file_id }, files: [kept] }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { ...task, workers }
}

test('a task that is stopped while its results are kept stays stopped, and none of them appears', async () => {
  await using running = await startTestService()
  const { service, calls, id, scratch, workers } = await waitingTask(running)
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

test('a task whose result was freed before it was recorded tries again', async () => {
  await using running = await startTestService()
  const { service, calls, id, scratch, workers } = await waitingTask(running)
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
