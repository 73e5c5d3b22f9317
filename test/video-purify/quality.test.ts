import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { rateOf } from '../../src/media/clean/rate.ts'
import { chooseQuality } from '../../tools/video-purify/quality.ts'
import { scratchFolder } from '../engines/ffmpeg/made.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

const folder = await scratchFolder()
const count = 64

/** The rate factor chosen for a picture as it is kept in a file. */
async function chosenFor(name: string, filters: string, ...args: string[]): Promise<number> {
  const path = join(folder, name)
  const picture = `testsrc2=size=160x90:rate=25,format=gbrp,gblur=sigma=3,noise=alls=2:allf=t,${filters}`
  await ffmpeg('-f', 'lavfi', '-i', picture, '-frames:v', String(count), '-c:v', 'ffv1', ...args, path)
  const { video } = await probe(path)
  if (!video) throw new Error('there is no picture')
  const footage = { path, video, rate: rateOf(video), stream: await pictureStream(path, video, {}) }
  const work = { threads: 2, signal: new AbortController().signal, timeoutMs: 60_000 }
  const { crf } = await chooseQuality(
    { ...footage, first: 0, count },
    { scratch: folder, fileSize: count * 1e6, ...work },
  )
  return crf
}

it('how finely a picture is coded does not depend on how its source tells its samples', async () => {
  const toSamples = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'
  const coded = await chosenFor('samples.mkv', toSamples, '-color_range', 'tv', '-colorspace', 'bt709')
  const whole = await chosenFor('whole.mkv', 'null', '-color_range', 'pc')
  expect(coded).toBeGreaterThan(8)
  expect(Math.abs(whole - coded)).toBeLessThanOrEqual(0.2)
})
