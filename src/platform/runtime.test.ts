import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

/** Tells where this thread keeps what it compiles, and what it was started with. */
const program = `
import { getCompileCacheDir } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
const kept: string | undefined = getCompileCacheDir()
parentPort?.postMessage({ kept, workerData })`

/** Tells where this process keeps what it compiles, and what a thread of its tells. */
const script = (keeps: boolean, module: URL) => `
import { once } from 'node:events'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
if (${keeps}) enableCompileCache(import.meta.dirname + '/compiled')
const { startThread } = await import(${JSON.stringify(import.meta.resolve('./runtime.ts'))})
const [told] = await once(startThread(new URL(${JSON.stringify(module.href)}), { given: 'a "thing"' }), 'message')
console.log(JSON.stringify([{ kept: getCompileCacheDir(), workerData: { given: 'a "thing"' } }, told]))`

it.each([true, false])('a thread keeps what it compiles where its process does: %s', async (keeps) => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright thread-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const main = join(folder, 'main.mjs')
  await writeFile(join(folder, 'program.ts'), program)
  await writeFile(main, script(keeps, pathToFileURL(join(folder, 'program'))))
  const { stdout } = await promisify(execFile)(process.execPath, [main])
  const [ofProcess, ofThread] = JSON.parse(stdout) as [{ kept?: string }, { kept?: string }]
  expect(ofThread).toEqual(ofProcess)
  expect(ofProcess.kept?.startsWith(join(folder, 'compiled')) ?? false).toBe(keeps)
})
