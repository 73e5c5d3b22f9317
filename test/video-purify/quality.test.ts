import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { decodeFrames } from '../../src/engines/ffmpeg/decode-frames.ts'
import { encodeFrames } from '../../src/engines/ffmpeg/encode-frames.ts'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { constantRate } from '../../src/media/frame-rate.ts'
import { chooseQuality, encodeSample, type EncodingQuality } from '../../src/engines/clean/quality.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

const folder = await scratchFolder()
const count = 64

/** Creates a slightly noisy video. */
async function filmOf({ name, filters }: { name: string; filters: string }, ...args: string[]) {
  const path = join(folder, name)
  const picture = `testsrc2=size=160x90:rate=25,format=gbrp,gblur=sigma=3,noise=alls=2:allf=t,${filters}`
  await ffmpeg('-f', 'lavfi', '-i', picture, '-frames:v', String(count), '-c:v', 'ffv1', ...args, path)
  const { video } = await probe(path)
  if (!video) throw new Error('the file has no picture')
  return {
    path,
    video,
    rate: constantRate(video),
    stream: await pictureStream(path, video, {}),
    first: 0,
    count,
  }
}

const limits = { threads: 2, atOnce: 2, signal: new AbortController().signal, timeoutMs: 60_000 }

/** A video of full range, and the quality that is chosen for it. */
let whole: Awaited<ReturnType<typeof filmOf>>
let reference: EncodingQuality
beforeAll(async () => {
  whole = await filmOf({ name: 'whole.mkv', filters: 'null' }, '-color_range', 'pc')
  reference = await chooseQuality(whole, { fileSize: 1e9, ...limits })
})

/** Chooses the quality of a video for a file size in bytes per frame. */
async function chosenFor(
  { size = 1e6, ...film }: { name: string; filters: string; size?: number },
  ...args: string[]
): Promise<EncodingQuality> {
  return await chooseQuality(await filmOf(film, ...args), { fileSize: count * size, ...limits })
}

it('the chosen quality does not depend on the sample range flag of the source', async () => {
  const toSamples = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'
  const flags = ['-color_range', 'tv', '-colorspace', 'bt709']
  const coded = await chosenFor({ name: 'samples.mkv', filters: toSamples }, ...flags)
  expect(coded.crf).toBeGreaterThan(8)
  expect(Math.abs(reference.crf - coded.crf)).toBeLessThanOrEqual(0.2)
  expect(coded.effort).toBe('superfast')
})

it('more encoder effort is used if the file would be too large otherwise', async () => {
  const { effort, crf, decibels } = await chosenFor({
    ...{ name: 'small.mkv', filters: 'noise=alls=20:allf=t', size: 1000 },
  })
  expect(effort).toBe('veryfast')
  expect(crf).toBe(23)
  expect(decibels).toBeLessThan(45)
})

it('black frames do not raise the fidelity of others', async () => {
  const filters = "noise=alls=20:allf=t,drawbox=t=fill:enable='lt(mod(n,10),5)',format=yuv420p"
  const film = await filmOf({ name: 'flickers.mkv', filters })
  const coding = { effort: 'superfast', crf: 21 } as const
  const [trialRange, encodedPath] = [{ first: 20, count: 20 }, join(folder, 'made.mp4')]
  const sample = await encodeSample(film, trialRange, { ...limits, ...coding })
  const frames = decodeFrames(film, { ...trialRange, ...limits })
  await encodeFrames(encodedPath, { frames, footage: film }, { ...coding, ...limits })
  const source = ['-ss', String(trialRange.first / 25), '-i', film.path]
  // Limits the frames before psnr, which compares more of them than the output has.
  const times = `trim=end_frame=${trialRange.count},settb=1/25,setpts=N`
  const { stderr } = await promisify(execFile)('ffmpeg', [
    ...['-i', encodedPath, ...source, '-lavfi', `[0]${times}[made];[1]${times}[was];[made][was]psnr`],
    ...['-f', 'null', '-'],
  ])
  const [, brightness] = /PSNR y:([\d.]+)/.exec(stderr) ?? []
  expect(Number(brightness)).toBeLessThan(45)
  expect(Math.abs((sample?.decibels ?? 0) - Number(brightness))).toBeLessThan(0.5)
})

it('trials are measured correctly with coloured log output and with positions without frames', async () => {
  expect(reference.decibels).toBeGreaterThan(45)
  vi.stubEnv('AV_LOG_FORCE_COLOR', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  // Two of the three positions are after the end, as in a truncated file.
  const longer = await chooseQuality({ ...whole, count: 4 * count }, { fileSize: 1e9, ...limits })
  expect(longer.decibels).toBeGreaterThan(45)
  expect(Math.abs(longer.crf - reference.crf)).toBeLessThan(2)
})
