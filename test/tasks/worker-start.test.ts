import { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openLog } from '../../src/platform/log.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { openWorkers } from '../../src/tasks/workers.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-worker-start-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The error of an attempt in a worker whose program is a module. */
async function failureOf(module: string): Promise<unknown> {
  await using workers = await openWorkers({
    command: { module, args: [] },
    folder: join(folder, 'run'),
    log: openLog({ level: 'silent' }),
    metrics: new Metrics(),
  })
  const task = { taskId: '1', operation: 'x', input: '{}', files: [], answersBy: null }
  const observer = { signal: new AbortController().signal, onProgress: () => undefined }
  const attempt = workers.run({ ...task, scratch: folder, steps: folder, threads: 1 }, observer)
  return await attempt.catch((error: unknown) => error)
}

/** Runs workers with another program instead of Node. */
function replaceNode(path: string): void {
  const { execPath } = process
  process.execPath = path
  onTestFinished(() => void (process.execPath = execPath))
}

async function scriptFile(script: string): Promise<string> {
  const module = join(folder, 'worker.mjs')
  await writeFile(module, script)
  return module
}

test.skipIf(process.platform === 'win32')(
  'a program that the user may not run is named, and its user',
  async () => {
    const program = join(folder, 'node')
    await writeFile(program, '', { mode: 0o600 })
    replaceNode(program)
    // Signals to a process that does not exist reach others: the handle has no valid process id.
    const kill = vi.spyOn(ChildProcess.prototype, 'kill')
    onTestFinished(() => kill.mockRestore())
    expect(await failureOf('x')).toMatchObject({
      code: 6500,
      message: `a worker process could not be started: ${program} cannot be run (EACCES)`,
      hint: expect.stringContaining(`the service's user (${process.getuid?.()}) run this file`) as string,
    })
    expect(kill).not.toHaveBeenCalled()
  },
)

test('a program that was removed is named', async () => {
  const program = join(folder, 'removed', 'node')
  replaceNode(program)
  expect(await failureOf('x')).toMatchObject({
    message: `a worker process could not be started: ${program} cannot be run (ENOENT)`,
    hint: expect.stringMatching(/^Restart the service/) as string,
  })
})

test('a removed module is named', async () => {
  const module = join(folder, 'removed.mjs')
  expect(await failureOf(module)).toMatchObject({
    message: expect.stringMatching(
      /^a worker process could not be started: it exited with code 1: Error.*: Cannot find module '.*removed\.mjs'/,
    ) as string,
    hint: expect.stringContaining('read all files of the program') as string,
  })
})

test('the output of a worker that ends before it is ready is named without secrets', async () => {
  const module = await scriptFile(
    "process.stderr.write(`at start\\nkey rw_${'k'.repeat(40)} ${'x'.repeat(400)}\\n`); process.exitCode = 3",
  )
  const { message } = (await failureOf(module)) as Error
  expect(message).toMatch(
    /^a worker process could not be started: it exited with code 3: key \[redacted\] x{285}$/,
  )
})

test.skipIf(process.platform === 'win32')('a signal that ends a worker at its start is named', async () => {
  const module = await scriptFile("process.kill(process.pid, 'SIGABRT')")
  expect(await failureOf(module)).toMatchObject({
    message: 'a worker process could not be started: SIGABRT ended it',
    hint: expect.stringContaining('memory') as string,
  })
})
