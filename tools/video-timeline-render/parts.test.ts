import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import {
  type PieceGroup,
  groupReads,
  type TimelinePart,
  pieceSourceRange,
  totalUnits,
} from '../../src/media/timeline/pieces.ts'
import type { TimelineClip } from '../../src/media/timeline/timeline.ts'
import { divideTimeline } from './parts.ts'
import type { PictureOptions } from './picture.ts'

const rate = 30
const canvas = { width: 1280, height: 720, rate }
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

const wish: PictureOptions = { canvas, videoOf, decodesThrough: () => false }
const atOnce = 2

interface Shot {
  readonly material: string
  readonly lasts: number
}

function partsOfShots(shots: readonly Shot[]): TimelinePart[] {
  let at = 0
  const picture = shots.map(({ material, lasts }): TimelineClip => {
    const from = at
    at += lasts
    return {
      ...{ requestPath: '', material, speed: 1, keepPitch: true, volume: 1 },
      source: { from: 1, to: 1 + lasts },
      track: { from, to: at },
    }
  })
  const timeline = { ...canvas, seconds: at, frames: Math.round(at * rate), picture, sound: [] }
  return divideTimeline(timeline, wish, atOnce)
}

/** Returns the picture size of each decoder of a group, pixels. */
function decodersOf(group: PieceGroup): number[] {
  const stretches = group.flatMap((piece) => pieceSourceRange(piece, rate) ?? [])
  return groupReads(stretches, wish.decodesThrough).map(([{ clip }]) => {
    const { coded_width, coded_height } = videoOf(clip.material)
    return coded_width * coded_height
  })
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** Returns the maximum number of simultaneous decoders. Only one group of a part is decoded at a time. */
function mostAtOnce(parts: readonly TimelinePart[]): number {
  const counts = parts.map(({ groups }) => Math.max(...groups.map((group) => decodersOf(group).length)))
  return sumOf(counts.toSorted((one, other) => other - one).slice(0, atOnce))
}

const shots = fc.array(
  fc.record({
    material: fc.constantFrom('hd', 'uhd', 'small'),
    lasts: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 300 })).map((n) => n / rate),
  }),
  { minLength: 1, maxLength: 60 },
)

test('what is decoded at once for a part is bounded, and how many frames of it wait for the encoder', () => {
  fc.assert(
    fc.property(shots, (some) => {
      const parts = partsOfShots(some)
      for (const [index, { groups, mainGroup: live }] of parts.entries()) {
        for (const decoders of groups.map(decodersOf))
          expect(decoders.length <= 1 || sumOf(decoders) <= 2 * 1920 * 1080).toBe(true)
        const frames = totalUnits(groups.flat())
        expect(frames).toBeGreaterThanOrEqual(parts.length > 1 ? 5 : 1)
        // The last part also contains the remainder.
        expect(frames - totalUnits(live)).toBeLessThanOrEqual(index < parts.length - 1 ? 4 : 8)
      }
    }),
  )
})

test.each([1, 500])(
  'clips from %i files: 60 and 500 in the time of ten open no more files at once',
  (files) => {
    const cut = (count: number) =>
      partsOfShots(
        Array.from({ length: count }, (_, index) => ({ material: `hd ${index % files}`, lasts: 25 / count })),
      )
    expect(mostAtOnce(cut(10))).toBe(4)
    for (const count of [60, 400, 500]) expect(mostAtOnce(cut(count))).toBe(4)
  },
)
