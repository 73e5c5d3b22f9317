import { join } from 'node:path'
import { expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { gridFrames } from '../../../src/engines/vision/grid-frames.ts'
import { h264, generateMedia, picture, scratchFolder, tone } from '../ffmpeg/generate-media.ts'

const folder = await scratchFolder()

it('only real frames of a picture that starts long after the audio are read', async () => {
  const inputs = [...tone(0.2), '-itsoffset', '3600.12', ...picture(0.4)]
  const path = await generateMedia(join(folder, 'late.mkv'), [...inputs, '-fps_mode', 'passthrough', ...h264])
  const { video } = await probe(path)
  if (!video) throw new Error('the file has no picture')
  const options = { video, rate: { num: 25, den: 1 }, area: { x: 0, y: 0, w: 1, h: 1 }, threads: 1 }
  const seen: string[] = []
  for await (const { bytes } of gridFrames(path, { ...options, width: 160, height: 90 })) {
    seen.push(Buffer.from(bytes).toString('latin1'))
  }
  expect(seen).toHaveLength(10)
  expect(new Set(seen).size).toBe(10)
})
