import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { configureServices } from '../../src/engines/services/configured.ts'
import { newId } from '../../src/contract/fields.ts'
import type { Wait } from '../../src/platform/retry.ts'
import { openLog } from '../../src/platform/log.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { openWorkers } from '../../src/tasks/workers.ts'
import { json, startFakeService } from '../engines/services/fake-service.ts'
import { pollUntil } from '../service/api.ts'

const children = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length

/** Opens workers that run a script, with a folder for their attempts. */
async function openScriptedWorkers(script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-workers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const module = join(folder, 'worker.mjs')
  await writeFile(module, script)
  const identities = join(folder, 'run')
  const workers = await openWorkers({
    command: { module, args: [] },
    folder: identities,
    log: openLog({ level: 'silent' }),
    metrics: new Metrics(),
  })
  return { folder, identities, workers, [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose]() }
}

test('a worker whose identity cannot be recorded is ended, and the attempt fails', async () => {
  await using scripted = await openScriptedWorkers(
    "process.on('message', () => {}); process.send({ type: 'ready' })",
  )
  const { folder, workers, identities } = scripted
  await rm(identities, { recursive: true })
  const before = children()
  const attemptOptions = { signal: new AbortController().signal, onProgress: () => undefined }
  await expect(workers.run(createAttempt(folder), attemptOptions)).rejects.toThrow('ENOENT')
  await pollUntil(
    async () => children(),
    (count) => count === before,
  )
})

/** An attempt in a folder. */
function createAttempt(folder: string) {
  const task = { taskId: '1', operation: 'x', input: '{}', files: [] }
  return { ...task, scratch: folder, steps: folder, threads: 1, answersBy: null }
}

/** Asks its agent, and waits for the answer. */
const askingWorker = `
process.on('message', ({ type }) => {
  if (type === 'run') process.send({ type: 'ask', number: 0, questions: [] })
})
process.send({ type: 'ready' })`

test('a worker whose questions cannot be stored is ended', async () => {
  await using scripted = await openScriptedWorkers(askingWorker)
  const { folder, workers } = scripted
  const before = children()
  const observer = {
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ask: async () => {
      throw new Error('the database is full')
    },
  }
  await expect(workers.run(createAttempt(folder), observer)).rejects.toThrow('the database is full')
  expect(children()).toBe(before)
})

/** The first attempt finishes although it was aborted. Later attempts finish after 100 ms. */
const slowWorker = `
let attempts = 0
const finish = () => process.send({ type: 'finished', result: { output: { attempts }, files: [] } })
process.on('message', ({ type }) => {
  if (type === 'run') {
    attempts += 1
    if (attempts > 1) setTimeout(finish, 100)
  } else finish()
})
process.send({ type: 'ready' })`

test('a worker that finishes after an abort is reused, and not ended later', async () => {
  await using scripted = await openScriptedWorkers(slowWorker)
  const { folder, workers } = scripted
  const stop = new AbortController()
  const onProgress = () => undefined
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const first = workers.run(createAttempt(folder), { signal: stop.signal, onProgress })
  stop.abort()
  expect(await first).toMatchObject({ output: { attempts: 1 } })
  const second = workers.run(createAttempt(folder), { signal: new AbortController().signal, onProgress })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await second, 'in the same process').toMatchObject({ output: { attempts: 2 } })
})

test('output of a worker is logged line by line, with its task', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-workers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const module = join(folder, 'worker.mjs')
  const script = `
    import { writeSync } from 'node:fs'
    process.on('message', ({ attempt }) => {
      writeSync(1, 'out of ' + attempt.taskId + '\\n')
      writeSync(2, 'first\\r\\nsecond\\u001b[2J of ' + attempt.taskId + '\\n' + 'x'.repeat(5000) + '\\n')
      process.send({ type: 'finished', result: { output: {}, files: [] } })
    })
    process.send({ type: 'ready' })`
  await writeFile(module, script)
  const file = join(folder, 'log')
  const command = { module, args: [] }
  const options = { command, folder: join(folder, 'run'), log: openLog({ file }), metrics: new Metrics() }
  await using workers = await openWorkers(options)
  const attemptOptions = { signal: new AbortController().signal, onProgress: () => undefined }
  const outputsOf = async (taskId: string) => {
    const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
    const parsed = lines.map((line) => JSON.parse(line) as { task_id: string; output: string })
    return parsed.filter(({ task_id }) => task_id === taskId).map(({ output }) => output)
  }
  for (const taskId of ['1', '2']) {
    await workers.run(
      {
        taskId,
        operation: 'x',
        input: '{}',
        files: [],
        scratch: folder,
        steps: folder,
        threads: 1,
        answersBy: null,
      },
      attemptOptions,
    )
    const logged = await pollUntil(
      () => outputsOf(taskId),
      (outputs) => outputs.length === 5,
    )
    const expectedOutput = [
      `out of ${taskId}`,
      'first',
      `second\u001B[2J of ${taskId}`,
      'x'.repeat(4096),
      'x'.repeat(904),
    ]
    expect(logged.toSorted()).toEqual(expectedOutput.toSorted())
  }
})

/** A worker whose first attempt waits for answers; the second calls what the first left running. */
const leavingWorker = `
const { runWorker } = await import('${import.meta.resolve('../../src/tasks/worker.ts')}')
const { SuspendedError } = await import('${import.meta.resolve('../../src/contract/questions.ts')}')
const schema = { parse: (value) => value }
let left
const run = async (input, context) => {
  if (left) return await left()
  left = async () => {
    context.progress(90)
    const asked = await context.askTask([]).then(() => 'answered', ({ message }) => message)
    return { asked, isAborted: context.signal.aborted }
  }
  throw new SuspendedError()
}
const module = { run, requirements: () => [] }
runWorker([{ operation: { name: 'x', input: schema, output: schema }, run: async () => module, requirements: async () => module }])`

test('what an attempt leaves running cannot reach into the next one of the same worker', async () => {
  await using scripted = await openScriptedWorkers(leavingWorker)
  const { folder, workers } = scripted
  const attempt = { ...createAttempt(folder), answersBy: 'agent' } as const
  const onProgress = vi.fn<(percent: number) => void>()
  const ask = vi.fn<() => Promise<[]>>(async () => [])
  const observer = { signal: new AbortController().signal, onProgress, ask }
  expect(await workers.run(attempt, observer)).toBeNull()
  expect(await workers.run(attempt, observer)).toMatchObject({
    output: { asked: 'the attempt has ended', isAborted: true },
  })
  expect(onProgress).not.toHaveBeenCalled()
  expect(ask).not.toHaveBeenCalled()
})

/** A worker that keeps its compile cache in a folder beside it and does nothing else. */
const compileCacheWorker = `
import { enableCompileCache } from 'node:module'
enableCompileCache(import.meta.dirname + '/compiled')
const { runWorker } = await import('${import.meta.resolve('../../src/tasks/worker.ts')}')
const schema = { parse: (value) => value }
const module = { run: async () => ({}), requirements: () => [] }
runWorker([{ operation: { name: 'x', input: schema, output: schema }, run: async () => module, requirements: async () => module }])`

test('the compile cache of a worker is kept for later workers, although it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-workers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const module = join(folder, 'worker.mjs')
  await writeFile(module, compileCacheWorker)
  const workers = await openWorkers({
    command: { module, args: [] },
    folder: join(folder, 'run'),
    log: openLog({ level: 'silent' }),
    metrics: new Metrics(),
  })
  await workers.run(createAttempt(folder), {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  })
  await workers[Symbol.asyncDispose]()
  const cacheFiles = await readdir(join(folder, 'compiled'), { recursive: true, withFileTypes: true })
  expect(cacheFiles.filter((entry) => entry.isFile())).not.toHaveLength(0)
})

/** Starts workers that send requests to a service with a rate limit. The clock does not advance. */
async function startRateLimitedWorkers(perMinute: number, pause: Wait) {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-workers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const server = await startFakeService(json({}))
  onTestFinished(() => server[Symbol.asyncDispose]())
  const service = { address: `${server.origin}/v1`, requests_per_minute: perMinute }
  configureServices({ language_model: service }, { clock: () => 0, pause })
  onTestFinished(() => configureServices({}))
  const workers = await openWorkers({
    command: { module: join(import.meta.dirname, 'rate-limited-worker.ts'), args: [] },
    folder: join(folder, 'run'),
    log: openLog({ level: 'silent' }),
    metrics: new Metrics(),
  })
  onTestFinished(() => workers[Symbol.asyncDispose]())
  const run = async (input: object, signal = new AbortController().signal) => {
    const attempt = {
      ...createAttempt(folder),
      taskId: newId(),
      input: JSON.stringify({ address: service.address, ...input }),
    }
    return await workers.run(attempt, { signal, onProgress: () => undefined })
  }
  return { server, run }
}

test('the rate limit of a service applies across all workers', async () => {
  /** Requested delays, ms. No time passes. */
  const delays: number[] = []
  const { server, run } = await startRateLimitedWorkers(
    3,
    async (milliseconds) => void delays.push(milliseconds),
  )
  await Promise.all([run({ requests: 4 }), run({ requests: 4 })])
  expect(server.heard).toHaveLength(8)
  expect(delays).toEqual([60_000, 60_000, 60_000, 120_000, 120_000])
})

test('reserved requests of failed or stopped attempts are released', async () => {
  const delays: number[] = []
  const { run } = await startRateLimitedWorkers(2, async (milliseconds, signal) => {
    delays.push(milliseconds)
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
  })
  await expect(run({ requests: 2, fails: true })).rejects.toMatchObject({ code: 6500 })
  for (const round of [1, 2]) {
    const stop = new AbortController()
    const stopped = run({ requests: 1 }, stop.signal)
    await expect.poll(() => delays.length).toBe(2 + round)
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ code: 6500 })
  }
  expect(delays).toEqual([60_000, 60_000, 60_000, 60_000])
})

test.runIf(process.platform === 'linux')('a full disk is reported as such', async () => {
  const { run } = await startRateLimitedWorkers(1, async () => undefined)
  await expect(run({ requests: 0, resultPath: '/dev/full' })).rejects.toMatchObject({
    ...{ code: 6402, message: 'the disk is full', retryable: true },
    hint: 'Free space on the service, then try again.',
  })
})
