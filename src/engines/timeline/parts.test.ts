import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { VideoFacts } from '../../contract/media-facts.ts'
import {
  type PieceGroup,
  groupReads,
  type TimelinePart,
  pieceMaterialRange,
  totalUnits,
} from '../../media/timeline/pieces.ts'
import type { TimelineClip } from '../../media/timeline/timeline.ts'
import { divideTimeline } from './parts.ts'
import type { PictureOptions } from './picture.ts'

const rate = 30
const canvas = { width: 1280, height: 720, rate: { num: rate, den: 1 } }
const sizes = { hd: [1920, 1080], uhd: [3840, 2160], small: [640, 360] } as const

function videoOf(material: string): VideoFacts {
  const [width, height] = sizes[material.split(' ')[0] as keyof typeof sizes]
  return {
    ...{ codec: 'h264', width, height, coded_width: width, coded_height: height, rotation: 0 },
    ...{
      sample_aspect_ratio: { num: 1, den: 1 },
      frame_rate: { num: rate, den: 1 },
      variable_rate: false,
      start_ms: 0,
    },
    ...{ duration_ms: 3_600_000, pixel_format: 'yuv420p', hdr: false, alpha: false },
  }
}

const options: PictureOptions = { canvas, videoOf, decodesThrough: () => false }
const atOnce = 2

interface Shot {
  readonly material: string
  readonly seconds: number
}

function partsOfShots(shots: readonly Shot[]): TimelinePart[] {
  let at = 0
  const picture = shots.map(({ material, seconds }): TimelineClip => {
    const from = at
    at += seconds
    return {
      ...{ requestPath: '', material, speed: 1, keepPitch: true, volume: 1 },
      source: { from: 1, to: 1 + seconds },
      track: { from, to: at },
    }
  })
  const timeline = { ...canvas, seconds: at, frames: Math.round(at * rate), picture, sound: [] }
  return divideTimeline(timeline, options, atOnce)
}

/** Returns the size of the decoded pictures of each decoder of a group, pixels. */
function decoderPixels(group: PieceGroup): number[] {
  const ranges = group.flatMap((piece) => pieceMaterialRange(piece, rate) ?? [])
  return groupReads(ranges, options.decodesThrough).map(([{ clip }]) => {
    const { coded_width, coded_height } = videoOf(clip.material)
    return coded_width * coded_height
  })
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** Returns the maximum number of simultaneous decoders. Only one group of a part is decoded at a time. */
function maxDecodersAtOnce(parts: readonly TimelinePart[]): number {
  const counts = parts.map(({ groups }) => Math.max(...groups.map((group) => decoderPixels(group).length)))
  return sumOf(counts.toSorted((one, other) => other - one).slice(0, atOnce))
}

const shots = fc.array(
  fc.record({
    material: fc.constantFrom('hd', 'uhd', 'small'),
    seconds: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 300 })).map((n) => n / rate),
  }),
  { minLength: 1, maxLength: 60 },
)

test('the decoders of a group and the frames outside the main group are bounded', () => {
  fc.assert(
    fc.property(shots, (someShots) => {
      const parts = partsOfShots(someShots)
      for (const [index, { groups, mainGroup }] of parts.entries()) {
        for (const pixels of groups.map(decoderPixels))
          expect(pixels.length <= 1 || sumOf(pixels) <= 2 * 1920 * 1080).toBe(true)
        const frames = totalUnits(groups.flat())
        expect(frames).toBeGreaterThanOrEqual(parts.length > 1 ? 5 : 1)
        // The last part also contains the remainder.
        expect(frames - totalUnits(mainGroup)).toBeLessThanOrEqual(index < parts.length - 1 ? 4 : 8)
      }
    }),
  )
})

test.each([1, 500])(
  '60, 400 and 500 clips from %i files open no more files at once than 10 clips',
  (files) => {
    const cut = (count: number) =>
      partsOfShots(
        Array.from({ length: count }, (_, index) => ({
          material: `hd ${index % files}`,
          seconds: 25 / count,
        })),
      )
    expect(maxDecodersAtOnce(cut(10))).toBe(4)
    for (const count of [60, 400, 500]) expect(maxDecodersAtOnce(cut(count))).toBe(4)
  },
)
