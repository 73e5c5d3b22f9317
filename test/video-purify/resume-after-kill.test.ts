import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { api, pollUntil } from '../service/api.ts'
import { temporaryDataFolder, startKillableService } from '../service/killable-service.ts'
import { findProcesses, waitUntilExited } from '../service/processes.ts'
import { numberedVideo, readNumbers } from '../video-timeline-render/media.ts'

const type = 'video_purify'
const rate = 5
// Long enough for several parts of 20 s.
const seconds = 65

test('a killed task resumes after its finished parts; a stopped one leaves no files', async () => {
  const dataDir = await temporaryDataFolder()
  const [scratch, steps] = [join(dataDir, 'scratch'), join(dataDir, 'steps')]
  const firstService = await startKillableService(dataDir)
  const before = await api(firstService).balance()
  const path = await numberedVideo(join(dataDir, 'source.mp4'), { source: 3, seconds, rate: String(rate) })
  const file = (await api(firstService).upload('source.mp4', new Uint8Array(await readFile(path)))).data
    .file_id
  const regions = [{ x: 0.95, y: 0.8, w: 0.05, h: 0.2 }]
  const { data: task } = await api(firstService).create(type, {
    file_id: file,
    purify_scope: 'region',
    regions,
  })

  const listFinishedParts = async () => {
    const names = await readdir(join(steps, task.task_id)).catch(() => [])
    return names.filter((name) => name.startsWith('part-') && name.endsWith('.mp4'))
  }
  await pollUntil(listFinishedParts, (names) => names.length >= 1)
  await firstService.kill('SIGKILL')
  await waitUntilExited(await findProcesses('ffmpeg', dataDir))
  const finished = await listFinishedParts()
  expect(finished.length).toBeLessThan(Math.ceil(seconds / 20))
  const inodes = async () =>
    Promise.all(finished.map(async (name) => [name, (await stat(join(steps, task.task_id, name))).ino]))
  const remaining = await inodes()

  const next = await startKillableService(dataDir)
  await pollUntil(listFinishedParts, (names) => names.length > finished.length)
  expect(await inodes()).toEqual(remaining)
  const done = await api(next).ended(type, task.task_id)
  expect(done.data).toMatchObject({ status: 'completed' })
  expect(await api(next).balance()).toBe(before - Math.ceil(seconds / 60))
  const result = join(dataDir, 'result.mp4')
  const { file_id } = done.data.output_result as { file_id: string }
  await writeFile(result, await api(next).download(file_id))
  expect((await readNumbers(result)).map(({ frame }) => frame)).toEqual(
    Array.from({ length: seconds * rate }, (_, frame) => frame),
  )

  const { data: other } = await api(next).create(type, {
    file_id: file,
    purify_scope: 'region',
    regions: [...regions, ...regions],
  })
  const working = await pollUntil(
    () => findProcesses('libx264', scratch),
    (pids) => pids.length > 0,
  )
  await api(next).stop(other.task_id)
  await waitUntilExited(working)
  for (const folder of [scratch, steps]) {
    await pollUntil(
      () => readdir(folder),
      (names) => names.length === 0,
    )
  }
  expect(await api(next).balance()).toBe(before - Math.ceil(seconds / 60))
})
