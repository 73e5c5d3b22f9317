import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkDecodable } from '../../../src/engines/ffmpeg/decodable.ts'
import { readFrames } from '../../../src/engines/ffmpeg/read-frames.ts'
import { h264, generateMedia, picture, scratchFolder } from './generate-media.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'

const folder = await scratchFolder()

test('a machine that is too slow is reported, not mistaken for a file without pictures', async () => {
  const path = await generateMedia(join(folder, 'video.mp4'), [...picture(1), ...h264])
  const job = { before: [], filters: '', count: 1, signal: undefined }
  const size = { width: 16, height: 16 }
  expect(await readFrames(path, size, { ...job, timeoutMs: 60_000 })).toHaveLength(1)
  await expect(readFrames(path, size, { ...job, timeoutMs: 1 })).rejects.toMatchObject({ code: 6402 })
})

test('a killed decoder is reported, not mistaken for an undecodable video', async () => {
  const path = await generateMedia(join(folder, 'whole.mp4'), [...picture(1), ...h264])
  using _ = await replaceFfmpeg(join(folder, 'ended'), 'kill -9 $$', 'ffprobe')
  await expect(checkDecodable(path)).rejects.toMatchObject({ code: 6402 })
})
