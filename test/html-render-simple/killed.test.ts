import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { api } from '../service/api.ts'
import { temporaryDataFolder, startKillableService } from '../service/killable-service.ts'
import { suspendProcesses, findProcesses, signalEach, waitUntilExited } from '../service/processes.ts'
import { soakSize } from '../soak-size.ts'
import { htmlParticle } from './render.ts'

const type = 'html_render_simple'

/** Long enough that polling finds the processes of each attempt, which are then suspended. */
const seconds = 20

const composition = {
  video_size: { width: 64, height: 36 },
  fps: 10,
  assets: { file_id: {} },
  tracks: [],
  beats: [
    {
      start: 0,
      duration: seconds,
      track_index: 0,
      html: htmlParticle({ duration: seconds }, '<p id="p">x</p>', 'p.style.translate = `${t}px`'),
    },
  ],
}

/** What is killed: the service also takes its worker along. */
const killed = soakSize('service', 'worker or service')

test(`a task whose ${killed} is killed is rendered again, completes and is charged once`, async () => {
  const dataDir = await temporaryDataFolder()
  const scratch = join(dataDir, 'scratch')
  const firstService = await startKillableService(dataDir)
  const before = await api(firstService).balance()

  /** Suspends browsers and the encoder once both run. */
  const programs = () =>
    suspendProcesses(['chrom', 'ffmpeg'].map((name) => () => findProcesses(name, scratch)))
  const render = { output_format: 'qtrle' }
  const { data: task } = await api(firstService).create(type, { composition, render })

  if (soakSize(false, true)) {
    const first = await programs()
    const workers = await readdir(join(dataDir, 'run'))
    signalEach(
      workers.map((name) => Number.parseInt(name, 10)),
      'SIGKILL',
    )
    await waitUntilExited(first)
  }

  const second = await programs()
  await firstService.kill('SIGKILL')
  await waitUntilExited(second)

  const calls = api(await startKillableService(dataDir))
  const done = await calls.ended(type, task.task_id)
  expect(done.data).toMatchObject({ status: 'completed', output_result: { duration: seconds } })
  expect(await calls.balance()).toBe(before - 1)
  for (const name of ['chrom', 'ffmpeg']) expect(await findProcesses(name, dataDir)).toEqual([])
  const left = await readdir(scratch, { recursive: true })
  expect(left.filter((name) => name.includes('chromium-'))).toEqual([])
}, 120_000)
