import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFrames } from '../../../src/engines/ffmpeg/read-frames.ts'
import { h264, make, picture, scratchFolder } from './made.ts'

const folder = await scratchFolder()

test('a machine that is too slow is told, not taken for a file without pictures', async () => {
  const path = await make(join(folder, 'video.mp4'), [...picture(1), ...h264])
  const job = { before: [], filters: '', count: 1, signal: undefined }
  const size = { width: 16, height: 16 }
  expect(await readFrames(path, size, { ...job, timeoutMs: 60_000 })).toHaveLength(1)
  await expect(readFrames(path, size, { ...job, timeoutMs: 1 })).rejects.toMatchObject({ code: 6402 })
})
