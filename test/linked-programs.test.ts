import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, inject, test } from 'vitest'
import { packageVersion } from '../src/platform/environment.ts'
import { runInThread } from '../src/threads/run-in-thread.ts'
import { spawnCommand } from './run-command.ts'

/** Addresses of the modules that a process has loaded, from its coverage report. */
async function loadedModules(folder: string): Promise<string[]> {
  const [name = ''] = await readdir(folder)
  const report = JSON.parse(await readFile(join(folder, name), 'utf8')) as { result: { url: string }[] }
  return report.result.map(({ url }) => url)
}

test('programs that tests start from sources are linked ones, with the location of their sources', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-linked-'))
  try {
    const { code, out } = await spawnCommand(['--version'], { NODE_V8_COVERAGE: folder })
    expect([code, out.trim()]).toEqual([0, await packageVersion()])
    const modules = await loadedModules(folder)
    expect(modules).toContain(pathToFileURL(join(inject('linkedPrograms'), 'src', 'main.mjs')).href)
    expect(modules.filter((url) => url.endsWith('.ts'))).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('threads that tests start are linked ones', async () => {
  // Fails without a job.
  const thread = runInThread<Error, null>({
    module: new URL('../src/json/parse-thread', import.meta.url),
    job: null,
  })
  const { stack = '' } = await thread.catch((error: Error) => error)
  expect(stack).toContain(
    pathToFileURL(join(inject('linkedPrograms'), 'src', 'json', 'parse-thread.mjs')).href,
  )
  expect(stack).not.toContain('.ts:')
})
