import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { firstFrameIndex, constantRate } from '../../src/media/frame-rate.ts'
import { pictureShare } from '../../src/engines/clean/quality.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

const folder = await scratchFolder()

async function shareOf(path: string): Promise<number> {
  const { video } = await probe(path)
  if (!video) throw new Error(`${path} has no picture`)
  const rate = constantRate(video)
  const stream = await pictureStream(path, video, {})
  const footage = { path, stream, rate, first: firstFrameIndex(video, rate), count: 100 * 25 }
  return await pictureShare(footage, { signal: new AbortController().signal })
}

it('the video share of a file is measured over its whole length, whatever its start time', async () => {
  const [intact, late] = [join(folder, 'whole.mkv'), join(folder, 'late.mkv')]
  // A blank first half, then grain.
  const picture = "color=gray:size=64x64:rate=25:duration=100,noise=alls=60:allf=t:enable='gt(t,45)'"
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', 'sine=duration=100']
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac', '-b:a', '64k']
  await ffmpeg(...inputs, ...coding, intact)
  await ffmpeg('-i', intact, '-c', 'copy', '-output_ts_offset', '60', late)
  const share = await shareOf(intact)
  expect(share).toBeGreaterThan(0.5)
  expect(await shareOf(late)).toBeCloseTo(share, 2)
})
