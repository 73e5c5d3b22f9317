import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { serve } from '../contract/serve.ts'
import { api, until } from './api.ts'
import { alive, programsWith } from './programs.ts'

test('a rendering that is stopped leaves no ffmpeg behind', async () => {
  await using service = await serve()
  const calls = api(service)
  const clip = join(service.folder, 'clip.mp4')
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=120'],
    ...['-pix_fmt', 'yuv420p', '-preset', 'ultrafast', clip],
  ])
  const { data: file } = await calls.upload('clip.mp4', new Uint8Array(await readFile(clip)))
  const clips = [{ file_id: file.file_id }, { file_id: file.file_id }]
  const { data: task } = await calls.create('video_split_screen', { clips, output_ratio: '16:9' })
  const encoders = await until(
    () => programsWith('ffmpeg', join(service.folder, 'data', 'scratch')),
    (pids) => pids.length > 0,
  )
  expect(await calls.stop(task.task_id)).toMatchObject({
    code: 200,
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
})
