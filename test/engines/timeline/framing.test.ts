import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Rect, Size } from '../../../src/media/geometry.ts'
import type { ClipFraming } from '../../../src/media/timeline/framing.ts'
import { lazy } from '../../../src/platform/cache.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { ffmpeg } from '../../video-split-screen/media.ts'
import { scratchFolder, setRotation } from '../ffmpeg/generate-media.ts'
import { renderFramedFile } from './render-framings.ts'
import { measureSpot, type Spot, spotsOf, spotVideo } from './spots.ts'

const folder = await scratchFolder()

interface Source extends Size {
  readonly name: string
  readonly rate: { readonly num: number; readonly den: number }
  readonly seconds?: number
  readonly sar?: string
  /** Displayed width: that of the file times the sample aspect ratio. */
  readonly displayed?: number
}

const pal = { num: 25, den: 1 }
const wide: Source = { name: 'wide', width: 640, height: 360, rate: pal }

/** Renders clips of one source, each of so many frames, to one file and returns its pictures. */
async function renderFramings(
  source: Source,
  canvas: Size,
  framings: readonly (readonly [number, ClipFraming])[],
) {
  const path = join(folder, `${source.name}.mkv`)
  const { rate, width, height } = source
  const video = { width, height, seconds: source.seconds ?? 1, rate: `${rate.num}/${rate.den}` }
  await spotVideo(path, source.sar === undefined ? video : { ...video, sar: source.sar })
  return await renderFramedFile(folder, path, { rate, canvas, framings })
}

interface Shown {
  readonly canvas: Size
  /** Part of the source, in coded pixels, and the rectangle of the canvas that it fills. */
  readonly part: Rect
  readonly slot: Rect
}

/** Returns where spots that are wholly visible must be, and where they are in a picture. */
function compareSpots(picture: Uint8Array, spots: readonly Spot[], { canvas, part, slot }: Shown) {
  const scale = { x: slot.width / part.width, y: slot.height / part.height }
  return spots.flatMap((spot) => {
    const expected = { x: slot.x + (spot.x - part.x) * scale.x, y: slot.y + (spot.y - part.y) * scale.y }
    const radius = { width: 24 * scale.x, height: 24 * scale.y }
    const isWhole =
      expected.x - radius.width >= slot.x &&
      expected.x + radius.width <= slot.x + slot.width &&
      expected.y - radius.height >= slot.y &&
      expected.y + radius.height <= slot.y + slot.height
    if (!isWhole) return []
    const measured = measureSpot(picture, canvas, { near: expected, radius })
    return [{ spot, expected, measured, error: Math.hypot(measured.x - expected.x, measured.y - expected.y) }]
  })
}

/** Expects that a slot of a picture shows a part of the source, to `tolerance` pixels. */
function expectPart(picture: Uint8Array, source: Size, shown: Shown, tolerance = 0.5) {
  const compared = compareSpots(picture, spotsOf(source), shown)
  expect(compared.length).toBeGreaterThan(0)
  for (const { spot, measured, error } of compared) {
    expect(error, JSON.stringify({ spot, measured })).toBeLessThan(tolerance)
    expect(Math.abs(measured.peak - spot.peak)).toBeLessThan(15)
  }
}

const whole = ({ width, height }: Size): Rect => ({ x: 0, y: 0, width, height })
const portrait = { width: 216, height: 384 }

const crops: readonly (readonly [Source, Rect])[] = [
  [
    { name: 'anamorphic', width: 480, height: 360, sar: '4/3', displayed: 640, rate: pal },
    { x: 301, y: 0, width: 202, height: 360 },
  ],
  [wide, { x: 100, y: 0, width: 202, height: 360 }],
  [
    { ...wide, name: 'ntsc', rate: { num: 30_000, den: 1001 } },
    { x: 437, y: 0, width: 202, height: 360 },
  ],
  [
    { name: 'odd', width: 427, height: 241, rate: { num: 24_000, den: 1001 } },
    { x: 291, y: 1, width: 136, height: 240 },
  ],
  [
    { name: 'tall', width: 361, height: 641, rate: { num: 60, den: 1 } },
    { x: 11, y: 20, width: 350, height: 620 },
  ],
  [
    { ...wide, name: 'film', rate: { num: 60_000, den: 1001 } },
    { x: 33, y: 21, width: 180, height: 320 },
  ],
]

test.each(sampleCases(crops, 1))('a crop fills the canvas: %j, %j', async (source, crop) => {
  const { frames } = await renderFramings(source, portrait, [[12, { mode: 'crop', crop }]])
  const sar = (source.displayed ?? source.width) / source.width
  const part = { ...crop, x: crop.x / sar, width: crop.width / sar }
  for (const index of [0, 11])
    expectPart(frames[index] ?? new Uint8Array(), source, { canvas: portrait, part, slot: whole(portrait) })
})

test('a crop of a rotated recording is in displayed pixels', async () => {
  const path = join(folder, 'turned.mp4')
  const source = join(folder, 'turned.mkv')
  await spotVideo(source, { width: 640, height: 360, seconds: 1, rate: '25/1' })
  await ffmpeg(
    '-i',
    source,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-crf',
    '5',
    '-pix_fmt',
    'yuv420p',
    path,
  )
  await setRotation(path, 90)
  const canvas = { width: 320, height: 180 }
  const crop = { x: 20, y: 200, width: 320, height: 180 }
  const { frames } = await renderFramedFile(folder, path, {
    rate: pal,
    canvas,
    framings: [[6, { mode: 'crop', crop }]],
  })
  // Turned clockwise, x is the distance from the bottom of the recording, and y is its x.
  const spots = spotsOf(wide).map(({ x, y, peak }) => ({ x: 360 - y, y: x, peak }))
  const compared = compareSpots(frames[3] ?? new Uint8Array(), spots, {
    canvas,
    part: crop,
    slot: whole(canvas),
  })
  expect(compared.length).toBeGreaterThan(5)
  for (const { error } of compared) expect(error).toBeLessThan(0.5)
})

const moves: readonly (readonly [string, Source['rate'], number, Rect, Rect])[] = [
  [
    'a slow pan',
    { num: 30_000, den: 1001 },
    45,
    { x: 100, y: 0, width: 202, height: 360 },
    { x: 121, y: 0, width: 202, height: 360 },
  ],
  [
    'a fast pan back',
    { num: 60, den: 1 },
    40,
    { x: 420, y: 0, width: 202, height: 360 },
    { x: 20, y: 0, width: 202, height: 360 },
  ],
  [
    'a zoom in',
    { num: 24_000, den: 1001 },
    48,
    { x: 201, y: 0, width: 202, height: 360 },
    { x: 221, y: 36, width: 162, height: 288 },
  ],
  [
    'a diagonal zoom out',
    pal,
    50,
    { x: 300, y: 90, width: 152, height: 270 },
    { x: 240, y: 0, width: 202, height: 360 },
  ],
]

test.each(sampleCases(moves, 1))(
  '%s follows a line without shaking',
  async (_, rate, count, crop, moveTo) => {
    const source = { ...wide, name: `moving-${count}`, rate, seconds: 2.5 }
    const { frames } = await renderFramings(source, portrait, [
      [4, { mode: 'crop', crop }],
      [count, { mode: 'crop', crop, moveTo }],
      [4, { mode: 'crop', crop: moveTo }],
    ])
    const spots = spotsOf(source)
    const paths = new Map<Spot, { x: number[]; y: number[] }>()
    for (const [index, picture] of frames.entries()) {
      const way = Math.min(1, Math.max(0, (index - 4) / count))
      const at = (key: keyof Rect) => crop[key] + (moveTo[key] - crop[key]) * way
      const part = { x: at('x'), y: at('y'), width: at('width'), height: at('height') }
      for (const { spot, expected, measured, error } of compareSpots(picture, spots, {
        ...{ canvas: portrait, part, slot: whole(portrait) },
      })) {
        expect(error, `frame ${index}`).toBeLessThan(0.5)
        const path = paths.get(spot) ?? { x: [], y: [] }
        paths.set(spot, path)
        path.x[index] = measured.x - expected.x
        path.y[index] = measured.y - expected.y
      }
    }
    // Second difference of the error: the line itself has none.
    const shakes = [...paths.values()].flatMap(({ x, y }) =>
      [x, y].flatMap((errors) =>
        errors
          .slice(2)
          .map((error, index) => Math.abs(error - 2 * (errors[index + 1] ?? NaN) + (errors[index] ?? NaN))),
      ),
    )
    const known = shakes.filter((value) => !Number.isNaN(value))
    expect(known.length).toBeGreaterThan(count)
    expect(Math.max(...known)).toBeLessThan(0.4)
  },
)

test('a move that is divided into parts is the same as a whole one', async () => {
  const crop = { x: 40, y: 0, width: 202, height: 360 }
  const count = soakSize(70, 140)
  // A part is at most 5 s long: 50 frames.
  const source = { ...wide, name: 'long', rate: { num: 10, den: 1 }, seconds: soakSize(8, 16) }
  const { frames } = await renderFramings(source, portrait, [
    [count, { mode: 'crop', crop, moveTo: { ...crop, x: 40 + 2.5 * count } }],
  ])
  const measured = [0, 46, 47, 48, 49, 50, 51, 69, 70, 93, 94, 95, 99, 100, 101, 139]
  for (const index of measured.filter((each) => each < count))
    expectPart(frames[index] ?? new Uint8Array(), source, {
      ...{ canvas: portrait, slot: whole(portrait) },
      part: { ...crop, x: 40 + 2.5 * index },
    })
})

const blurs = sampleCases([0, 3, 40])
const halves = [
  { crop: { x: 20, y: 10, width: 216, height: 190 }, slot: { x: 0, y: 0, width: 216, height: 190 } },
  { crop: { x: 361, y: 101, width: 216, height: 190 }, slot: { x: 0, y: 194, width: 216, height: 190 } },
]
const small = {
  crop: { x: 0, y: 0, width: 640, height: 360 },
  slot: { x: 8, y: 20, width: 160, height: 90 },
}

/** Frames of each framing below. */
const each = 8

/** Whole pictures over copies of all blurs, then two split pictures, in one file. */
const composed = lazy(async () => {
  const { frames } = await renderFramings({ ...wide, name: 'composed', seconds: 2 }, portrait, [
    ...blurs.map((blurSigma) => [each, { mode: 'fit', blurSigma }] as const),
    ...[halves, [small]].map((slots) => [each, { mode: 'split', slots }] as const),
  ])
  // Frames in the middle of each.
  return frames.filter((_, index) => index % each === each / 2)
})

test.each(blurs)('the whole picture is shown over a copy blurred by %d pixels', async (blurSigma) => {
  const slot = { x: 0, y: 132, width: 216, height: 120 }
  const picture = (await composed())[blurs.indexOf(blurSigma)] ?? new Uint8Array()
  expectPart(picture, wide, { canvas: portrait, part: whole(wide), slot }, 0.8)
  const background = [...picture.subarray(0, 216 * 120)]
  const mean = background.reduce((sum, value) => sum + value, 0) / background.length
  const range = Math.max(...background) - Math.min(...background)
  if (blurSigma === 0) expect([mean, range]).toEqual([16, 0])
  // The mean of the spots and their ground; a wide blur hides the spots.
  else expect(mean).toBeGreaterThan(42)
  if (blurSigma === 40) expect(range).toBeLessThan(20)
  if (blurSigma === 3) expect(range).toBeGreaterThan(40)
})

test('a split picture shows each crop in its slot, and black elsewhere', async () => {
  const [both, one] = (await composed()).slice(blurs.length)
  for (const { crop, slot } of halves)
    expectPart(both ?? new Uint8Array(), wide, { canvas: portrait, part: crop, slot })
  expect(both?.subarray(191 * 216 + 20, 191 * 216 + 200).every((value) => value < 40)).toBe(true)
  expectPart(one ?? new Uint8Array(), wide, { canvas: portrait, part: whole(wide), slot: small.slot })
  expect(one?.at(-1)).toBe(16)
})
