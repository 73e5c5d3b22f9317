import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Region } from '../clean/region.ts'
import { framesBetween } from '../frame-rate.ts'
import { translateBox } from './box.ts'
import type { FoundText } from './found-text.ts'
import {
  clipToAreas,
  limitRegions,
  type PixelGrid,
  searchArea,
  strokeMargin,
  textRegions,
} from './regions.ts'

const grid: PixelGrid = {
  ...{ width: 640, height: 360, area: { x: 0.25, y: 0.5, w: 0.5, h: 0.5 } },
  rate: { num: 30_000, den: 1001 },
}

interface Way {
  readonly x: number
  readonly y: number
  readonly stepX: number
  readonly stepY: number
  readonly first: number
  readonly length: number
  readonly moving: boolean
}

/** A text of 100 by 20 px that moves at constant speed from its first position. */
function textOn({ x, y, stepX, stepY, first, length, moving }: Way): FoundText {
  const boxAt = (frame: number) => {
    const passed = moving ? frame - first : 0
    const [left, top] = [x + stepX * passed, y + stepY * passed]
    return { left, top, right: left + 100, bottom: top + 20 }
  }
  return {
    boxAt,
    moving,
    first,
    last: first + length - 1,
    score: 0.9,
    detectionCount: 3,
    firstSample: first,
    edgeDensity: 4,
  }
}

const way = fc.record({
  x: fc.integer({ min: 0, max: 500 }),
  y: fc.integer({ min: 0, max: 300 }),
  stepX: fc.double({ min: -6, max: 6, noNaN: true }),
  stepY: fc.double({ min: -3, max: 3, noNaN: true }),
  first: fc.nat(1000),
  length: fc.integer({ min: 1, max: 60 }),
  moving: fc.boolean(),
})

/** Moves exactly the largest distance of one region. */
const furthest: Way = { x: 20, y: 20, stepX: 5, stepY: 0, first: 0, length: 56, moving: true }

describe('the regions of a text', () => {
  it('contain its strokes on each of its frames, and exist on no other frame', () => {
    fc.assert(
      fc.property(way, (on) => {
        const one = textOn(on)
        const regions = textRegions(one, grid)
        const frames = regions.flatMap((region) => {
          const { first, end } = framesBetween(region, grid.rate)
          return Array.from({ length: end - first }, (_, index) => ({ frame: first + index, region }))
        })
        expect(new Set(frames.map(({ frame }) => frame)).size).toBe(frames.length)
        if (!one.moving) expect(regions).toHaveLength(1)
        for (const { frame, region } of frames) {
          expect(frame).toBeGreaterThanOrEqual(one.first)
          expect(frame).toBeLessThanOrEqual(one.last)
          const { left, top, right, bottom } = one.boxAt(frame)
          const x = (px: number) => 0.25 + (0.5 * Math.min(640, Math.max(0, px))) / 640
          const y = (px: number) => 0.5 + (0.5 * Math.min(360, Math.max(0, px))) / 360
          expect(region.x).toBeLessThanOrEqual(x(left))
          expect(region.y).toBeLessThanOrEqual(y(top))
          expect(region.x + region.w).toBeGreaterThanOrEqual(x(right) - 1e-9)
          expect(region.y + region.h).toBeGreaterThanOrEqual(y(bottom) - 1e-9)
          // At most its width, the travel of one region (half of its 20 px), and the margins.
          expect(region.w).toBeLessThanOrEqual((0.5 * (100 + 10 + 2 * strokeMargin)) / 640 + 1e-9)
        }
        const seen = Array.from({ length: one.last - one.first + 1 }, (_, index) => one.first + index).filter(
          (frame) => {
            const { left, top, right, bottom } = one.boxAt(frame)
            return right > 1 && bottom > 1 && left < 639 && top < 359
          },
        )
        for (const frame of seen) expect(frames.some((shown) => shown.frame === frame)).toBe(true)
      }),
      { examples: [[furthest]] },
    )
  })
})

describe('the regions of a tilted text that moves', () => {
  it('are those of its first position, moved with it, despite rounding', () => {
    // With the margins it is exactly three times as long as a box may be: rounding yields three or four boxes.
    const tilt = { angle: Math.PI / 4, letterSize: 16 }
    const side = (5.7 * 16 + 16) / Math.SQRT2
    const place = fc.double({ min: 100, max: 200, noNaN: true })
    fc.assert(
      fc.property(place, place, fc.double({ min: -3, max: 3, noNaN: true }), (left, top, by) => {
        const text = { ...textOn(furthest), tilt, moving: true, first: 0, last: 1 }
        const boxAt = (frame: number) =>
          translateBox({ left, top, right: left + side, bottom: top + side }, frame * by, 0)
        const regions = textRegions({ ...text, boxAt }, grid)
        const standing = textRegions({ ...text, boxAt: () => boxAt(0), moving: false }, grid)
        const further = (0.5 * Math.abs(by)) / grid.width
        expect(regions.map(({ w }) => w)).toEqual(
          standing.map(({ w }) => expect.closeTo(w + further, 9) as number),
        )
      }),
      { examples: [[100, 100, -1.7599999999999998]] },
    )
  })
})

/** A text of `frames` frames with `count` regions. */
interface Shown {
  readonly score: number
  readonly frames: number
  readonly count: number
}

function textOf({ score, frames }: Shown): FoundText {
  const box = { left: 0, top: 0, right: 1, bottom: 1 }
  const about = { moving: false, detectionCount: 3, firstSample: 0, edgeDensity: 4 }
  return { ...about, boxAt: () => box, first: 0, last: frames - 1, score }
}

/** Calls `limitRegions` and returns the kept regions with the index of their text. */
function limited(shown: readonly Shown[], max: number) {
  const texts = shown.map(textOf)
  const regionsOf = (text: FoundText) => {
    const index = texts.indexOf(text)
    return Array.from({ length: shown[index]?.count ?? 0 }, (_, start) => {
      return { x: index, y: 0, w: 1, h: 1, start, end: start + 1, score: text.score }
    })
  }
  const { regions, dropped } = limitRegions(texts, { regionsOf, max })
  return { regions: regions.map(({ x, start }) => ({ place: x, start })), left: dropped }
}

it('a ticker does not displace lines of speech, however high its score', () => {
  const ticker = { score: 0.9, frames: 600, count: 600 }
  const line = { score: 0.85, frames: 50, count: 1 }
  const { regions, left } = limited(
    [...Array.from({ length: 40 }, () => ticker), ...Array.from({ length: 300 }, () => line)],
    1000,
  )
  expect(regions.filter(({ place }) => place >= 40)).toHaveLength(300)
  expect(regions.filter(({ place }) => place === 0)).toHaveLength(600)
  expect(left).toBe(39 * 600 - 100)
})

it('a text with too many regions keeps the earliest ones', () => {
  const { regions, left } = limited([{ score: 0.9, frames: 600, count: 600 }], 500)
  expect(regions).toEqual(Array.from({ length: 500 }, (_, start) => ({ place: 0, start })))
  expect(left).toBe(100)
})

it('keeps the maximum number, of each text the beginning, in order; at most one text is kept in part', () => {
  const shown = fc.record({
    score: fc.double({ min: 0.1, max: 1, noNaN: true }),
    frames: fc.integer({ min: 1, max: 100 }),
    count: fc.integer({ min: 0, max: 20 }),
  })
  fc.assert(
    fc.property(fc.array(shown, { maxLength: 20 }), fc.integer({ min: 0, max: 100 }), (texts, most) => {
      const { regions, left } = limited(texts, most)
      const all = texts.reduce((sum, { count }) => sum + count, 0)
      expect(regions).toHaveLength(Math.min(all, most))
      expect(left).toBe(all - regions.length)
      const stay = texts.map((_, index) => regions.filter(({ place }) => place === index).length)
      expect(regions).toEqual(
        stay.flatMap((count, place) => Array.from({ length: count }, (_, start) => ({ place, start }))),
      )
      const inPart = texts.filter(({ count }, place) => stay[place] !== 0 && stay[place] !== count)
      expect(inPart.length).toBeLessThanOrEqual(1)
    }),
  )
})

const share = fc.double({ min: 0, max: 1, noNaN: true })
const region: fc.Arbitrary<Region> = fc
  .record({ x: share, y: share, w: share, h: share, start: share, length: share })
  .map(({ x, y, w, h, start, length }) => ({
    ...{ x: x * 0.9, y: y * 0.9, start, end: start + 0.01 + length },
    ...{ w: 0.01 + w * (0.99 - 0.9 * x), h: 0.01 + h * (0.99 - 0.9 * y) },
  }))

const ends = ({ x, y, w, h, start, end }: Region) => [x, y, -(x + w), -(y + h), start, -end]

const small = { x: 0, y: 0, w: 0.01, h: 0.01, start: 0, end: 0.01 }

/** Whether one region is inside another, within rounding errors. */
const isInside = (one: Region, other: Region) =>
  ends(one).every((end, index) => end >= (ends(other)[index] ?? 0) - 1e-9)

describe('text within areas', () => {
  it('is clipped to them without duplicates', () => {
    fc.assert(
      fc.property(
        fc.array(region, { maxLength: 5 }),
        fc.array(region, { minLength: 1, maxLength: 4 }),
        (found, areas) => {
          const inside = clipToAreas(
            found.map((one) => ({ ...one, score: 1 })),
            areas,
          )
          for (const one of inside) {
            expect(found.some((whole) => isInside(one, whole))).toBe(true)
            expect(areas.some((area) => isInside(one, area))).toBe(true)
          }
          const whole = found.filter((one) => areas.some((area) => isInside(one, area)))
          for (const one of whole) expect(inside.filter((part) => isInside(one, part))).not.toEqual([])
          expect(clipToAreas(inside, [...areas, ...areas])).toEqual(inside)
        },
      ),
      // Rounding: y + h of the clipped part is not exactly the old end.
      { examples: [[[small], [{ ...small, y: 0.000333048677012184 }, small]]] },
    )
  })

  it('is searched in an area around all of them, inside the picture', () => {
    fc.assert(
      fc.property(fc.array(region, { minLength: 1, maxLength: 4 }), (areas) => {
        const around = { ...searchArea(areas), start: 0, end: 9 }
        for (const area of areas) expect(isInside(area, around)).toBe(true)
        expect(isInside(around, { x: 0, y: 0, w: 1, h: 1, start: 0, end: 9 })).toBe(true)
      }),
    )
    expect(searchArea(undefined)).toEqual({ x: 0, y: 0, w: 1, h: 1 })
  })
})
