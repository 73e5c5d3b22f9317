import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MediaError } from '../contract/errors.ts'
import { runInThread } from './run-in-thread.ts'

/** A thread that does what its job names. */
const program = `
import { MediaError } from ${JSON.stringify(import.meta.resolve('../contract/errors.ts'))}
import { serveThread } from ${JSON.stringify(import.meta.resolve('./serve-thread.ts'))}
serveThread(async ({ act, bytes }, ask) => {
  if (act === 'sum') return bytes.reduce((sum, byte) => sum + byte, 0)
  if (act === 'ask') return [(await ask('one'))?.length, (await ask('two'))?.length, await ask('none')]
  if (act === 'refuse') throw new MediaError(6017, 'refused', { hint: 'a fix', retryable: true })
  if (act === 'break') throw new TypeError('a bug')
  if (act === 'exit') process.exit(0)
  for (;;);
})`

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-thread-'))
  await writeFile(join(folder, 'program.ts'), program)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Job {
  readonly act: string
  readonly bytes?: Uint8Array
}

const work = (job: Job, signal?: AbortSignal) => ({
  module: pathToFileURL(join(folder, 'program')),
  job,
  signal,
})

test('a thread returns its result; the memory of bytes moves only if nothing else uses it', async () => {
  const [own, shared] = [new Uint8Array(1000).fill(1), new Uint8Array(1000).fill(1).subarray(500)]
  expect(await runInThread({ ...work({ act: 'sum', bytes: own }), moved: [own] })).toBe(1000)
  expect(await runInThread({ ...work({ act: 'sum', bytes: shared }), moved: [shared] })).toBe(500)
  expect([own.length, shared.length]).toEqual([0, 500])
})

test('questions of a thread are answered in order', async () => {
  const asked: string[] = []
  const answer = async (question: string) => {
    asked.push(question)
    return question === 'none' ? null : new Uint8Array(question === 'one' ? 1 : 2)
  }
  expect(await runInThread(work({ act: 'ask' }), answer)).toEqual([1, 2, null])
  expect(asked).toEqual(['one', 'two', 'none'])
})

test('errors of a thread, of an answer and of the signal reject the work', async () => {
  await expect(runInThread(work({ act: 'refuse' }))).rejects.toMatchObject({
    ...{ code: 6017, message: 'refused', hint: 'a fix', retryable: true },
  })
  await expect(runInThread(work({ act: 'break' }))).rejects.toThrow('a bug')
  await expect(runInThread(work({ act: 'exit' }))).rejects.toThrow('a thread ended without a result')
  const missing = async () => Promise.reject(new MediaError(6004, 'no file'))
  await expect(runInThread(work({ act: 'ask' }), missing)).rejects.toMatchObject({ code: 6004 })
  const left = new AbortController()
  const endless = runInThread(work({ act: 'spin' }, left.signal))
  left.abort(new Error('left'))
  await expect(endless).rejects.toThrow('left')
  await expect(runInThread(work({ act: 'sum' }, left.signal))).rejects.toThrow('left')
})
