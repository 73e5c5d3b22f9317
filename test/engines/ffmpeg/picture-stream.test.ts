import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pictureStream } from '../../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { make, scratchFolder } from './made.ts'

const folder = await scratchFolder()

test('a picture lasts to its last frame, however far before that the last key frame lies', async () => {
  const still = ['-f', 'lavfi', '-i', 'color=size=16x16:rate=120:duration=150']
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '100000', '-keyint_min', '100000']
  const path = await make(join(folder, 'sparse.mkv'), [...still, ...coding])
  const { video } = await probe(path)
  if (!video) throw new Error('there is no picture')
  expect((await pictureStream(path, video, {})).lasts).toBeCloseTo(150, 1)
})
