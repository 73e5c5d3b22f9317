import { join } from 'node:path'
import { expect, test } from 'vitest'
import { meanSeekDistance } from '../../../src/engines/ffmpeg/quick-probe.ts'
import { generateMedia, scratchFolder } from './generate-media.ts'

const folder = await scratchFolder()

test.each([
  ['near.mp4', 25],
  ['far.mkv', 250],
])(
  'the distance from a key frame is on average half of the interval between them: %s, every %i frames',
  async (name, gop) => {
    const path = join(folder, name)
    const picture = [
      '-f',
      'lavfi',
      '-i',
      'color=s=64x36:r=25:d=20',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
    ]
    await generateMedia(path, [
      ...picture,
      '-g',
      String(gop),
      '-keyint_min',
      String(gop),
      '-sc_threshold',
      '0',
    ])
    const half = ((gop / 25) * 1000) / 2
    const distance = (await meanSeekDistance(path, 20_000, {})) ?? 0
    expect(distance).toBeGreaterThan(0.5 * half)
    expect(distance).toBeLessThan(1.5 * half)
  },
)
