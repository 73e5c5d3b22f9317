import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { rateOf } from '../../src/media/clean/rate.ts'
import { chooseQuality, type Quality } from '../../tools/video-purify/quality.ts'
import { scratchFolder } from '../engines/ffmpeg/made.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

const folder = await scratchFolder()
const count = 64

/** The quality chosen for a picture as it is kept in a file of a size for each frame, bytes. */
async function chosenFor(
  { name, filters, size = 1e6 }: { name: string; filters: string; size?: number },
  ...args: string[]
): Promise<Quality> {
  const path = join(folder, name)
  const picture = `testsrc2=size=160x90:rate=25,format=gbrp,gblur=sigma=3,noise=alls=2:allf=t,${filters}`
  await ffmpeg('-f', 'lavfi', '-i', picture, '-frames:v', String(count), '-c:v', 'ffv1', ...args, path)
  const { video } = await probe(path)
  if (!video) throw new Error('there is no picture')
  const footage = { path, video, rate: rateOf(video), stream: await pictureStream(path, video, {}) }
  const work = { threads: 2, atOnce: 2, signal: new AbortController().signal, timeoutMs: 60_000 }
  return await chooseQuality({ ...footage, first: 0, count }, { fileSize: count * size, ...work })
}

it('how finely a picture is coded does not depend on how its source tells its samples', async () => {
  const toSamples = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'
  const told = ['-color_range', 'tv', '-colorspace', 'bt709']
  const coded = await chosenFor({ name: 'samples.mkv', filters: toSamples }, ...told)
  const whole = await chosenFor({ name: 'whole.mkv', filters: 'null' }, '-color_range', 'pc')
  expect(coded.crf).toBeGreaterThan(8)
  expect(Math.abs(whole.crf - coded.crf)).toBeLessThanOrEqual(0.2)
  expect(coded.effort).toBe('superfast')
})

it('more effort is taken where the file would be too large without', async () => {
  const { effort, crf, decibels } = await chosenFor({
    ...{ name: 'small.mkv', filters: 'noise=alls=20:allf=t', size: 1000 },
  })
  expect(effort).toBe('veryfast')
  expect(crf).toBe(23)
  expect(decibels).toBeLessThan(45)
})
