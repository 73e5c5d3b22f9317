import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'

test('finished steps are kept until the next attempt, and removed when the task ends or the service restarts', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-steps-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const steps = join(dataDir, 'steps')
  const keepStep = async (task: string) => {
    await mkdir(join(steps, task), { recursive: true })
    await writeFile(join(steps, task, 'part'), 'done')
  }
  await keepStep('1000000000000000001')
  const first = await startTestService({ dataDir })
  expect(await readdir(steps)).toEqual([])

  const account = await first.account(5)
  const calls = api(account)
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  const create = async () => {
    const created = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })
    return created.data.task_id
  }
  // Two tasks run, so others wait.
  const [, , waiting, cancelled, stopped] = [
    await create(),
    await create(),
    await create(),
    await create(),
    await create(),
  ]
  for (const task of [waiting, cancelled, stopped]) await keepStep(task ?? '')
  await calls.cancel(cancelled ?? '')
  await calls.stop(stopped ?? '')
  const left = await readdir(steps)
  expect(left).toContain(waiting)
  expect(left).not.toContain(cancelled)
  expect(left).not.toContain(stopped)
  await first[Symbol.asyncDispose]()
  const second = await startTestService({ dataDir })
  onTestFinished(() => second[Symbol.asyncDispose]())
  expect(await readdir(join(steps, waiting ?? ''))).toEqual(['part'])
})
