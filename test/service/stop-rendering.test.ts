import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { generateMedia, h264, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { streams } from '../video-split-screen/media.ts'
import { api, pollUntil, type Api } from './api.ts'
import { sampleCases } from '../soak-size.ts'
import { startTestService, type TestService } from './in-process.ts'
import { killWorkers } from './interruptions.ts'
import { findProcesses, waitUntilExited } from './processes.ts'

const clipSeconds = 6

const folder = await scratchFolder()
let service: TestService
let calls: Api
/** Id of a clip with audio. */
let clip: string

beforeAll(async () => {
  const types = works.map(({ type }) => type)
  service = await startTestService({
    operations: operations.filter(({ operation }) => types.includes(operation.name)),
  })
  calls = api(await service.account(50))
  const path = await generateMedia(join(folder, 'clip.mp4'), [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30', '-f', 'lavfi', '-i', 'sine'],
    ...['-t', String(clipSeconds), ...h264],
  ])
  clip = (await calls.upload('clip.mp4', new Uint8Array(await readFile(path)))).data.file_id
})
afterAll(() => service[Symbol.asyncDispose]())

const sideBySide = () => ({ clips: [{ file_id: clip }, { file_id: clip }], output_ratio: '16:9' })

/** Request to render copies of the clip one after another. */
const concatenation = (copies: number) => ({
  ...{ version: 'v1', video_size: [320, 180], video_rate: 30, materials: [{ id: clip }] },
  video_track: [
    {
      track_index: 0,
      track_timeline: Array.from({ length: copies }, (_, index) => ({
        ...{ clip_id: `part ${index}`, material: clip, clip_st: 0, clip_ed: clipSeconds },
        ...{ track_st: index * clipSeconds, track_ed: (index + 1) * clipSeconds, duration: clipSeconds },
      })),
    },
  ],
  audio_track: [],
})

const scratch = () => join(service.dataDir, 'scratch')
const working = () => findProcesses('ffmpeg', scratch())

/** Waits until the scratch folders of all tasks are removed. */
const waitUntilScratchIsEmpty = () =>
  pollUntil(
    () => readdir(scratch()),
    (left) => left.length === 0,
  )

/** Creates a task and waits until it runs this many ffmpeg processes. */
async function startRendering(type: string, request: unknown, programs: number) {
  const before = await calls.balance()
  const { data: task } = await calls.create(type, request)
  return { id: task.task_id, before, encoders: await pollUntil(working, (pids) => pids.length >= programs) }
}

const works = [
  { type: 'video_timeline_render', request: () => concatenation(100), programs: 2, credits: 10 },
  { type: 'video_split_screen', request: sideBySide, programs: 1, credits: 1 },
]

test.each(sampleCases(works, 1))(
  'a stopped $type leaves no ffmpeg process and no file, and is refunded',
  async (work) => {
    const { id, before, encoders } = await startRendering(work.type, work.request(), work.programs)
    expect(await calls.balance()).toBe(before - work.credits)
    expect(await calls.stop(id)).toMatchObject({
      code: 200,
      data: { status: 'failed', output_result: { error: { code: 6009 } } },
    })
    await waitUntilExited(encoders)
    await pollUntil(
      () => findProcesses('ffmpeg', service.dataDir),
      (left) => left.length === 0,
    )
    await waitUntilScratchIsEmpty()
    expect(await calls.balance()).toBe(before)
  },
)

test('kill -9 of a worker ends its ffmpeg processes; its task is retried and completes', async () => {
  const { id, before, encoders } = await startRendering('video_timeline_render', concatenation(2), 2)
  await killWorkers(service.dataDir)
  await waitUntilExited(encoders)
  // The task was not finished: a second attempt starts new encoders.
  await pollUntil(working, (pids) => pids.some((pid) => !encoders.includes(pid)))
  const done = await calls.ended('video_timeline_render', id)
  expect(done.data).toMatchObject({
    status: 'completed',
    output_result: { duration: 2 * clipSeconds, video_size: [320, 180] },
  })
  expect(await calls.balance()).toBe(before - 1)
  await waitUntilScratchIsEmpty()
  const { file_id } = done.data.output_result as { file_id: string }
  const path = join(folder, 'result.mp4')
  await writeFile(path, await calls.download(file_id))
  expect(await streams(path)).toMatchObject([
    { nb_read_frames: String(2 * clipSeconds * 30) },
    { codec_name: 'aac' },
  ])
})
