import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import type { QuestionImage, TaskQuestion } from '../../src/contract/questions.ts'
import { executeTask, requeueInterrupted } from '../../src/tasks/execute.ts'
import type { AttemptResult, Attempt } from '../../src/tasks/worker-messages.ts'
import type { AttemptObserver } from '../../src/tasks/worker-child.ts'
import type { Service } from '../../src/tasks/service.ts'
import { readExposition } from '../observe/exposition.ts'
import { startTestService, type TestService, workerPoolSize } from '../service/in-process.ts'
import { askingClient } from './asking-client.ts'

const type = 'test_copy'
const summary = { summary: 'Two numbers.', terms: [] }

/** What an attempt does in place of a worker: a result, null while it waits for answers, or an error. */
type Work = (observer: Required<Pick<AttemptObserver, 'onProgress' | 'ask'>>) => Promise<AttemptResult | null>

/** A service whose workers are busy, so that tasks stay queued until a test executes them. */
async function startBusyService(): Promise<TestService> {
  const running = await startTestService()
  const client = askingClient(await running.account(workerPoolSize))
  const { data: file } = await client.upload('a.txt', 'some bytes')
  for (let worker = 0; worker < workerPoolSize; worker += 1)
    await client.create(type, { file_id: file.file_id, behaviour: 'wait' })
  return running
}

let shared: TestService
beforeAll(async () => {
  shared = await startBusyService()
})
afterAll(() => shared[Symbol.asyncDispose]())

/** A queued task that asks its agent, whose attempts run only by `execute`. */
async function openTask(running = shared) {
  const client = askingClient(await running.account(5))
  const { data: file } = await client.upload('a.txt', 'some bytes')
  const { data } = await client.create(type, { file_id: file.file_id, behaviour: 'wait' })
  const id = data.task_id
  const { service } = running.running
  await service.db.updateTable('tasks').set({ answers_by: 'agent' }).where('id', '=', id).execute()
  const scratch = await mkdtemp(join(tmpdir(), 'reelwright-attempts-'))
  onTestFinished(() => rm(scratch, { recursive: true, force: true }))
  const execute = async (work: Work, changes: Partial<Service> = {}, stop = new AbortController()) => {
    const workers = {
      run: async (_: Attempt, { onProgress, ask }: AttemptObserver) => {
        if (!ask) throw new Error('the attempt cannot ask')
        return await work({ onProgress, ask })
      },
      [Symbol.asyncDispose]: async () => undefined,
    }
    await executeTask(
      { ...service, ...changes },
      { workers, scratch, threads: 1 },
      { id, signal: stop.signal },
    )
  }
  return {
    ...{ service, client, id, execute },
    row: () => service.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    questions: () => service.db.selectFrom('questions').selectAll().where('task_id', '=', id).execute(),
  }
}

const imageOf = (bytes: number): QuestionImage => ({ type: 'image/jpeg', bytes: new Uint8Array(bytes) })

const question = (digit: string, images: readonly QuestionImage[] = []): TaskQuestion => ({
  ...{ id: digit.repeat(32), kind: 'summarize_lines', instructions: 'Sum up.', input: { lines: ['One'] } },
  ...{ images, maxTokens: 100 },
})

/** Asks, and waits for answers at a progress. */
const askAt =
  (progress: number, questions: readonly TaskQuestion[] = [question('a')]): Work =>
  async ({ ask, onProgress }) => {
    onProgress(progress)
    await ask(questions)
    return null
  }

test('questions are removed at the end of a task that never waited for their answers', async () => {
  const { execute, questions, row } = await openTask()
  await execute(async ({ ask }) => {
    await ask([question('a')])
    throw new MediaError(6017, 'this will never do')
  })
  expect(await row()).toMatchObject({ status: 'failed', suspensions: 0 })
  expect(await questions()).toEqual([])
})

test('a task that was stopped cannot ask any more', async () => {
  const { execute, questions, client, id } = await openTask()
  let asked: Promise<unknown> = Promise.resolve()
  await execute(async ({ ask }) => {
    await client.stop(id)
    asked = ask([question('a')])
    await asked
    return null
  })
  await expect(asked).rejects.toThrow('a task asked after its end')
  expect(await questions()).toEqual([])
})

test.each<[string, readonly QuestionImage[], string]>([
  ['five images', Array.from({ length: 5 }, () => imageOf(1)), 'a question has 5 images, and at most 4'],
  ['a large image', [imageOf(2 ** 20 + 1)], 'has 1048577 bytes, and at most 1048576'],
  ['another type', [{ ...imageOf(1), type: 'image/svg' as 'image/png' }], 'is of the type image/svg'],
])('a question with %s is refused', async (_, images, message) => {
  const { execute, questions } = await openTask()
  let asked: Promise<unknown> = Promise.resolve()
  await execute(async ({ ask }) => {
    asked = ask([question('a', images)])
    return await (asked as Promise<null>)
  })
  await expect(asked).rejects.toMatchObject({ code: 6500, message: expect.stringContaining(message) })
  expect(await questions()).toEqual([])
})

test('images of questions and other kept steps count as storage; images are written once', async () => {
  const { execute, service, client, id } = await openTask()
  const used = async () => {
    const { data } = await client.send<{ storage: { used_bytes: number } }>('/base/capabilities')
    return data.storage.used_bytes
  }
  const before = await used()
  const images = [imageOf(2 ** 20), imageOf(2 ** 19)]
  await execute(askAt(10, [question('a', images)]))
  expect((await used()) - before).toBeGreaterThan(1.5 * 2 ** 20)
  const folder = join(service.steps, id)
  const written = async () => {
    const files = (await readdir(folder)).toSorted()
    return await Promise.all(files.map(async (name) => [name, (await stat(join(folder, name))).ino]))
  }
  const first = await written()
  expect(first).toHaveLength(2)
  await client.answer(id, [{ question_id: question('a').id, answer: summary }])
  const withImages = await used()
  await mkdir(join(folder, 'parts'))
  await writeFile(join(folder, 'parts', 'sound'), new Uint8Array(100_000))
  await execute(askAt(20, [question('a', images), question('b')]))
  expect((await used()) - withImages).toBeGreaterThanOrEqual(100_000)
  expect((await written()).filter(([name]) => name !== 'parts')).toEqual(first)
  await client.cancel(id)
  expect(await used()).toBe(before)
})

describe('without tasks of other tests', () => {
  let running: TestService
  beforeAll(async () => {
    running = await startBusyService()
  })
  afterAll(() => running[Symbol.asyncDispose]())

  // The first test, as it measures all queued tasks.
  test('a task that waits for answers is no old task in the queue', async () => {
    const { execute } = await openTask(running)
    const oldest = async () => {
      const response = await fetch(`${running.baseUrl}/metrics`, {
        headers: { authorization: running.apiKey },
      })
      return readExposition(await response.text()).sum('reelwright_oldest_queued_task_seconds')
    }
    expect(await oldest()).toBeGreaterThan(0)
    await execute(askAt(10))
    expect(await oldest()).toBe(0)
  })

  test('a task that has waited keeps its progress and its working time when it is attempted again', async () => {
    const { execute, row, client, id, service } = await openTask(running)
    let now = Date.now()
    const clock = () => now
    /** Works for 1000 ms, as far as a progress, then ends. */
    const work =
      (progress: number, end: Work): Work =>
      async (observer) => {
        now += 1000
        observer.onProgress(progress)
        await expect.poll(async () => (await row()).progress).toBe(progress)
        return await end(observer)
      }
    await execute(work(60, askAt(60)), { clock })
    expect(await row()).toMatchObject({ status: 'queued', progress: 60, worked_ms: 1000 })
    await client.answer(id, [{ question_id: question('a').id, answer: summary }])
    const fail: Work = async () => {
      throw new MediaError(6500, 'it failed')
    }
    await execute(work(70, fail), { clock })
    expect(await row()).toMatchObject({ status: 'queued', attempts: 1, progress: 70, worked_ms: 2000 })
    const stop = new AbortController()
    const interrupt: Work = async () => {
      stop.abort()
      throw new Error('the service stops')
    }
    await execute(work(80, interrupt), { clock }, stop)
    expect(await row()).toMatchObject({ status: 'queued', attempts: 1, progress: 80, worked_ms: 3000 })
    // As a killed process of the service leaves it, started again an hour later.
    const started_at = now
    const left = { status: 'processing', started_at, updated_at: started_at + 500, progress: 85 } as const
    await service.db.updateTable('tasks').set(left).where('id', '=', id).execute()
    now += 3_600_000
    await requeueInterrupted({ ...service, clock })
    expect(await row()).toMatchObject({ status: 'queued', progress: 85, worked_ms: 3500 })
  })
})

test('an attempt that waits for answers is recorded once the database is available again', async () => {
  const { execute, row, service } = await openTask()
  let failures = 0
  const db: Service['db'] = new Proxy(service.db, {
    get(target, name) {
      if (name === 'transaction' && failures > 0) {
        failures -= 1
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await execute(
    async (observer) => {
      await askAt(30)(observer)
      failures = 2
      return null
    },
    { db },
  )
  expect(failures).toBe(0)
  expect(await row()).toMatchObject({ status: 'queued', attempts: 0, progress: 30, questions_open: 1 })
})
