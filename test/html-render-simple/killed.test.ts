import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { api, until } from '../service/api.ts'
import { dataFolder, start } from '../service/doomed.ts'
import { alive, programsWith } from '../service/programs.ts'
import { particle } from './render.ts'

const type = 'html_render_simple'

/** Long enough that looking at the processes now and then meets those of each attempt. */
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
      html: particle({ duration: seconds }, '<p id="p">x</p>', 'p.style.translate = `${t}px`'),
    },
  ],
}

test('killed in the middle, worker or service: it is drawn again and completes, charged once', async () => {
  const dataDir = await dataFolder()
  const scratch = join(dataDir, 'scratch')
  const doomed = await start(dataDir)
  const balanceOf = async (calls: ReturnType<typeof api>) =>
    (await calls.send<{ credits: { balance: number } }>('/base/capabilities')).data.credits.balance
  const before = await balanceOf(api(doomed))

  /** Browsers and the encoder, once both are there and none is of the attempt before. */
  const programs = async (past: readonly number[] = []) => {
    const both = await until(
      async () => [await programsWith('chrom', scratch), await programsWith('ffmpeg', scratch)],
      (found) => found.every((pids) => pids.some((pid) => !past.includes(pid))),
    )
    return both.flat()
  }
  const end = async (pids: readonly number[]) =>
    await until(
      () => alive(pids),
      (left) => left.length === 0,
    )
  const render = { output_format: 'qtrle' }
  const { data: task } = await api(doomed).create(type, { composition, render })

  const first = await programs()
  for (const name of await readdir(join(dataDir, 'run'))) process.kill(Number.parseInt(name, 10), 'SIGKILL')
  await end(first)

  const second = await programs(first)
  await doomed.kill('SIGKILL')
  await end(second)

  const calls = api(await start(dataDir))
  const done = await until(
    () => calls.query(type, task.task_id),
    ({ data }) => ['completed', 'failed'].includes(data.status),
  )
  expect(done.data).toMatchObject({ status: 'completed', output_result: { duration: seconds } })
  expect(await balanceOf(calls)).toBe(before - 1)
  for (const name of ['chrom', 'ffmpeg']) expect(await programsWith(name, dataDir)).toEqual([])
  const left = await readdir(scratch, { recursive: true })
  expect(left.filter((name) => name.includes('chromium-'))).toEqual([])
}, 120_000)
