import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

/** Posts the compile cache folder of this thread and its workerData. */
const program = `
import { getCompileCacheDir } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
const folder: string | undefined = getCompileCacheDir()
parentPort?.postMessage({ folder, workerData })`

/** Prints the compile cache folder of this process and the message of a thread. */
const script = (hasCache: boolean, module: URL) => `
import { once } from 'node:events'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
if (${hasCache}) enableCompileCache(import.meta.dirname + '/compiled')
const { startThread } = await import(${JSON.stringify(import.meta.resolve('./runtime.ts'))})
const [message] = await once(startThread(new URL(${JSON.stringify(module.href)}), { option: 'a "value"' }), 'message')
console.log(JSON.stringify([{ folder: getCompileCacheDir(), workerData: { option: 'a "value"' } }, message]))`

it.each([true, false])('a thread uses the compile cache of its process: %s', async (hasCache) => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright thread-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const main = join(folder, 'main.mjs')
  await writeFile(join(folder, 'program.ts'), program)
  await writeFile(main, script(hasCache, pathToFileURL(join(folder, 'program'))))
  const { stdout } = await promisify(execFile)(process.execPath, [main])
  const [processReport, threadReport] = JSON.parse(stdout) as [{ folder?: string }, { folder?: string }]
  expect(threadReport).toEqual(processReport)
  expect(processReport.folder?.startsWith(join(folder, 'compiled')) ?? false).toBe(hasCache)
})
