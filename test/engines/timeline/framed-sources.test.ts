import { join } from 'node:path'
import { expect, test } from 'vitest'
import { locateFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'
import type { ClipFraming } from '../../../src/media/timeline/framing.ts'
import { ffmpeg } from '../../video-split-screen/media.ts'
import { numberedVideo } from '../../video-timeline-render/media.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { renderFramedFile } from './render-framings.ts'

const folder = await scratchFolder()
const { encoders, filters } = await locateFfmpeg()
const canvas = { width: 240, height: 48 }
const whole = { x: 0, y: 0, ...canvas }

/** Framings that show the whole picture of a file with the shape of the canvas, as no framing does. */
const equalFramings: readonly (readonly [string, ClipFraming])[] = [
  ['crop', { mode: 'crop', crop: whole }],
  ['crop that moves', { mode: 'crop', crop: whole, moveTo: whole }],
  ['fit', { mode: 'fit', blurSigma: 40 }],
  ['split', { mode: 'split', slots: [{ crop: whole, slot: whole }] }],
]

/** Length of each range. */
const frameCount = 12

const picture = `testsrc2=size=240x48:rate=25`
const sources: readonly (readonly [string, boolean, (path: string) => Promise<unknown>])[] = [
  [
    'transparent.mov',
    true,
    (path) =>
      ffmpeg(
        ...[
          '-f',
          'lavfi',
          '-i',
          `${picture},format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*gt(X,W/2)'`,
        ],
        ...['-t', '1', '-c:v', 'qtrle', path],
      ),
  ],
  [
    'hdr.mp4',
    encoders.has('libx265') && filters.has('zscale'),
    (path) =>
      ffmpeg(
        ...['-f', 'lavfi', '-i'],
        `${picture},format=gbrp,zscale=tin=bt709:pin=bt709:min=gbr:rin=full:t=smpte2084:p=2020:m=2020_ncl:r=limited:npl=203,format=yuv420p10le`,
        ...['-t', '1', '-c:v', 'libx265', '-x265-params', 'log-level=none:crf=10', '-tag:v', 'hvc1'],
        ...['-colorspace', 'bt2020nc', '-color_primaries', 'bt2020', '-color_trc', 'smpte2084', path],
      ),
  ],
  [
    'variable.mp4',
    true,
    (path) => numberedVideo(path, { source: 5, seconds: 1.2, rate: '25', variable: true }),
  ],
]

test.each(sources)(
  'every framing keeps the colours, times and transparency of %s',
  async (name, isPossible, create) => {
    if (!isPossible) return
    const path = join(folder, name)
    await create(path)
    // One range without a framing, then the same one with each.
    const framings = [undefined, ...equalFramings.map(([, framing]) => framing)]
    const rendered = await renderFramedFile(folder, path, {
      ...{ rate: { num: 25, den: 1 }, canvas },
      framings: framings.map((framing) => [frameCount, framing] as const),
    })
    for (const [which, [mode]] of equalFramings.entries()) {
      const from = (which + 1) * frameCount
      for (const [index, frame] of rendered.frames.slice(from, from + frameCount).entries()) {
        const other = rendered.frames[index]
        const difference = frame.reduce((sum, value, at) => sum + Math.abs(value - (other?.[at] ?? 0)), 0)
        expect(difference / frame.length, `${mode}, frame ${index}`).toBeLessThan(1)
      }
    }
  },
)

test('a transparent picture is opaque in every part of a split and over its blurred copy', async () => {
  const path = join(folder, 'transparent.mov')
  const [, , create] = sources[0] ?? []
  await create?.(path)
  const tall = { width: 120, height: 160 }
  const crop = { x: 60, y: 0, width: 120, height: 48 }
  const slots = [0, 1].map((row) => ({ crop, slot: { x: 0, y: row * 80, width: 120, height: 48 } }))
  const { frames } = await renderFramedFile(folder, path, {
    ...{ rate: { num: 25, den: 1 }, canvas: tall },
    framings: [
      [6, { mode: 'split', slots }],
      [6, { mode: 'fit', blurSigma: 10 }],
    ],
  })
  const mean = (frame: Uint8Array | undefined, [x, y]: readonly [number, number]) => {
    let sum = 0
    for (let row = y; row < y + 10; row += 1)
      for (let column = x; column < x + 20; column += 1) sum += frame?.[row * 120 + column] ?? 0
    return sum / 200
  }
  for (const row of [0, 80]) {
    expect(mean(frames[3], [10, row + 20])).toBeLessThan(18)
    expect(mean(frames[3], [90, row + 20])).toBeGreaterThan(40)
  }
  expect(mean(frames[9], [10, 75])).toBeLessThan(20)
  expect(mean(frames[9], [90, 75])).toBeGreaterThan(40)
  expect(mean(frames[9], [90, 20])).toBeGreaterThan(30)
})
