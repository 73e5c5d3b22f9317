import { join } from 'node:path'
import { expect, it } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { scratchFolder, setRotation } from '../engines/ffmpeg/generate-media.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { blurBoxes, probeStreams } from './run-purify.ts'

// Pixel formats other than 8-bit 4:2:0. Several traits per file, because each run is slow.

const folder = await scratchFolder()
const corner = { x: 0.9, y: 0.75, w: 0.1, h: 0.25 }
const frames = 6

async function source(name: string, picture: string, ...args: string[]): Promise<string> {
  const path = join(folder, name)
  await ffmpeg('-f', 'lavfi', '-i', picture, '-frames:v', String(frames), ...args, path)
  return path
}

const lossless = ['-c:v', 'ffv1']
const notes = (...words: string[]) => words.map((word) => expect.stringContaining(word) as string)

it('odd sides, 10 bits, 4:2:2 and BT.601 colours', async () => {
  const colours = 'setparams=colorspace=smpte170m:color_primaries=smpte170m:color_trc=smpte170m'
  const path = await source(
    'odd.mkv',
    `testsrc2=size=160x90,scale=161:91,format=yuv422p10le,${colours}`,
    ...lossless,
    ...['-colorspace', 'smpte170m', '-color_primaries', 'smpte170m', '-color_trc', 'smpte170m'],
  )
  const { path: resultPath, output } = await blurBoxes(path, folder, corner)
  expect((await probeStreams(resultPath))[0]).toMatchObject({
    ...{ width: 160, height: 90, pix_fmt: 'yuv420p', nb_read_frames: String(frames) },
    ...{ color_space: 'smpte170m', color_primaries: 'smpte170m', color_transfer: 'smpte170m' },
  })
  expect(output.notes).toEqual(notes('yuv422p10le', 'the last row and column were cropped'))
})

it('rotation, full range and non-square samples: output is upright, boxes refer to the displayed picture', async () => {
  const coding = ['-pix_fmt', 'yuvj420p', '-color_range', 'pc', '-crf', '10']
  const path = await setRotation(await source('turned.mp4', 'testsrc2=size=160x90,setsar=4/3', ...coding), 90)
  const { path: resultPath, output } = await blurBoxes(path, folder, { x: 0, y: 0, w: 1, h: 0.25 })
  const [stream] = await probeStreams(resultPath)
  expect(stream).toMatchObject({
    ...{
      width: 90,
      height: 160,
      sample_aspect_ratio: '3:4',
      color_range: 'pc',
      nb_read_frames: String(frames),
    },
  })
  expect(JSON.stringify(stream)).not.toContain('rotation')
  expect(output.notes).toEqual(notes('upright'))
  const pictures = [0, 1].map((index) => `[${index}:V]trim=end_frame=1,format=yuvj420p[v${index}];`).join('')
  const stacked = ['-filter_complex', `${pictures}[v0][v1]vstack`, '-pix_fmt', 'yuvj420p']
  const both = await ffmpeg('-i', path, '-i', resultPath, ...stacked, '-f', 'rawvideo', 'pipe:1')
  // The luma plane of both.
  const [before, after] = [both.subarray(0, 160 * 90), both.subarray(160 * 90, 2 * 160 * 90)]
  const apart = (from: number, to: number) => {
    let sum = 0
    for (let place = from * 90; place < to * 90; place++)
      sum += Math.abs((before[place] ?? 0) - (after[place] ?? 0))
    return sum / ((to - from) * 90)
  }
  expect(apart(0, 40)).toBeGreaterThan(10)
  expect(apart(42, 160)).toBeLessThan(2)
})

it('RGB with transparency: placed on black, colours kept', async () => {
  const half = "geq=r=192:g=64:b=32:a='if(lt(X,W/2),255,128)'"
  const path = await source('rgb.mov', `color=size=160x90,format=gbrap,${half},format=argb`, '-c:v', 'qtrle')
  const { path: resultPath, output } = await blurBoxes(path, folder, corner)
  expect((await probeStreams(resultPath))[0]).toMatchObject({
    ...{ color_space: 'bt709', color_range: 'tv', pix_fmt: 'yuv420p', nb_read_frames: String(frames) },
  })
  expect(output.notes).toEqual(notes('black', 'argb'))
  const pixels = await ffmpeg(
    '-i',
    resultPath,
    '-frames:v',
    '1',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    'pipe:1',
  )
  const shown = (x: number) => [...pixels.subarray((45 * 160 + x) * 3, (45 * 160 + x) * 3 + 3)]
  for (const [x, colour] of [
    [20, [192, 64, 32]],
    [120, [96, 32, 16]],
  ] as const) {
    for (const [channel, value] of colour.entries())
      expect([x, channel, Math.abs((shown(x)[channel] ?? 0) - value) <= 4, shown(x)]).toEqual([
        ...[x, channel, true, shown(x)],
      ])
  }
})

it('HDR is tone-mapped to standard range', async ({ skip }) => {
  const { filters } = await locateFfmpeg()
  if (!filters.has('zscale')) skip('this ffmpeg has no zscale filter to create HDR')
  const mapped = 'zscale=tin=bt709:pin=bt709:min=gbr:rin=full:t=smpte2084:p=2020:m=2020_ncl:r=limited:npl=203'
  const path = await source(
    'hdr.mkv',
    `testsrc2=size=160x90,format=gbrp,${mapped},format=yuv420p10le`,
    ...lossless,
    ...[
      '-colorspace',
      'bt2020nc',
      '-color_primaries',
      'bt2020',
      '-color_trc',
      'smpte2084',
      '-color_range',
      'tv',
    ],
  )
  const { path: resultPath, output } = await blurBoxes(path, folder, corner)
  expect((await probeStreams(resultPath))[0]).toMatchObject({
    ...{ color_space: 'bt709', color_transfer: 'bt709', pix_fmt: 'yuv420p' },
  })
  expect(output.notes).toEqual(notes('tone-mapped', 'yuv420p10le'))
})
