import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProcessIdentity } from '../../src/platform/process-identity.ts'
import { serve } from '../contract/serve.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { api, until } from './api.ts'
import { alive, programsWith } from './programs.ts'

/** A service with a timeline task whose decoders and encoders run. */
async function rendering(copies: number) {
  const service = await serve()
  const calls = api(service)
  const clip = join(service.folder, 'clip.mp4')
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=20', '-f', 'lavfi', '-i', 'sine=d=20'],
    ...['-pix_fmt', 'yuv420p', '-preset', 'ultrafast', clip],
  )
  const { data: file } = await calls.upload('clip.mp4', new Uint8Array(await readFile(clip)))
  const track_timeline = Array.from({ length: copies }, (_, index) => ({
    ...{ clip_id: `part ${index}`, material: file.file_id, clip_st: 0, clip_ed: 20 },
    ...{ track_st: index * 20, track_ed: index * 20 + 20, duration: 20 },
  }))
  const balance = async () =>
    (await calls.send<{ credits: { balance: number } }>('/base/capabilities')).data.credits.balance
  const before = await balance()
  const { data: task } = await calls.create('video_timeline_render', {
    ...{ version: 'v1', video_size: [320, 180], video_rate: 30, materials: [{ id: file.file_id }] },
    video_track: [{ track_index: 0, track_timeline }],
    audio_track: [],
  })
  const scratch = join(service.folder, 'data', 'scratch')
  const encoders = await until(
    () => programsWith('ffmpeg', scratch),
    (pids) => pids.length > 1,
  )
  return { service, calls, id: task.task_id, balance, before, encoders }
}

describe('a timeline that is rendered', { timeout: 120_000 }, () => {
  test('and stopped leaves no ffmpeg behind, and its credits come back', async () => {
    const { service, calls, id, balance, before, encoders } = await rendering(30)
    await using _ = service
    expect(await balance()).toBe(before - 10)
    expect(await calls.stop(id)).toMatchObject({
      data: { status: 'failed', output_result: { error: { code: 6009 } } },
    })
    await until(
      () => alive(encoders),
      (left) => left.length === 0,
    )
    await until(
      () => programsWith('ffmpeg', service.folder),
      (left) => left.length === 0,
    )
    expect(await balance()).toBe(before)
  })

  test('by a worker that dies of kill -9 takes its ffmpegs along, is tried again and completes', async () => {
    const { service, calls, id, balance, before, encoders } = await rendering(2)
    await using _ = service
    const run = join(service.folder, 'data', 'run')
    const identities = await Promise.all(
      (await readdir(run))
        .filter((name) => name.endsWith('.json'))
        .map(async (name) => JSON.parse(await readFile(join(run, name), 'utf8')) as ProcessIdentity),
    )
    for (const { pid } of identities) process.kill(pid, 'SIGKILL')
    await until(
      () => alive(encoders),
      (left) => left.length === 0,
    )
    // It was not done yet: a second attempt has encoders of its own.
    await until(
      () => programsWith('ffmpeg', join(service.folder, 'data', 'scratch')),
      (pids) => pids.some((pid) => !encoders.includes(pid)),
    )
    const done = await until(
      () => calls.query('video_timeline_render', id),
      ({ data }) => ['completed', 'failed'].includes(data.status),
    )
    expect(done.data).toMatchObject({
      status: 'completed',
      output_result: { duration: 40, video_size: [320, 180] },
    })
    expect(await balance()).toBe(before - 1)
    const { file_id } = done.data.output_result as { file_id: string }
    const path = join(service.folder, 'result.mp4')
    await writeFile(path, await calls.download(file_id))
    expect(await streams(path)).toMatchObject([{ nb_read_frames: '1200' }, { codec_name: 'aac' }])
  })
})
