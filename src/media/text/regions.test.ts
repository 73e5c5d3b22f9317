import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { translateBox } from './box.ts'
import { strokeMargin, textRegions, type PixelGrid } from './regions.ts'
import type { FoundText } from './text.ts'
import { framesBetween } from '../frame-rate.ts'

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

/** A text of 100 by 20 px that goes evenly, from where it is on its first frame. */
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

/** Goes exactly as far in one region as it may. */
const furthest: Way = { x: 20, y: 20, stepX: 5, stepY: 0, first: 0, length: 56, moving: true }

describe('the regions of a text', () => {
  it('hold its ink on each of its frames, and are on no other', () => {
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
          // No wider than the way it may go in one, half of its 20 px, and the room on both sides.
          expect(region.w).toBeLessThanOrEqual((0.5 * (100 + 10 + 2 * strokeMargin)) / 640 + 1e-9)
        }
        const seen = Array.from({ length: one.last - one.first + 1 }, (_, index) => one.first + index).filter(
          (frame) => {
            const { left, top, right, bottom } = one.boxAt(frame)
            return right > 1 && bottom > 1 && left < 639 && top < 359
          },
        )
        for (const frame of seen) expect(frames.some((held) => held.frame === frame)).toBe(true)
      }),
      { examples: [[furthest]] },
    )
  })
})

describe('the regions of a tilted text that moves', () => {
  it('are those of where it begins, each moved with it, however its places are rounded', () => {
    // With the room at its ends it is three times as long as each of its boxes may be: rounding makes it three or four.
    const tilt = { angle: Math.PI / 4, letters: 16 }
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
