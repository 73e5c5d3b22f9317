import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pixelBox, type Region } from './region.ts'
import { createPatchLookup, stillPatches } from './masks.ts'
import type { Patch } from './frame.ts'
import { framesBetween } from '../frame-rate.ts'

const size = { width: 64, height: 36 }
const rate = { num: 25, den: 1 }

/** Edges and times on and between pixels and frames, and at the ends. */
const regions = fc.array(
  fc
    .record({
      x: fc.nat(128),
      y: fc.nat(72),
      w: fc.nat(128),
      h: fc.nat(72),
      start: fc.nat(60),
      lasts: fc.nat(60),
    })
    .map(({ x, y, w, h, start, lasts }) => {
      const [left, top] = [Math.min(x, 127) / 128, Math.min(y, 71) / 72]
      return {
        ...{ x: left, y: top, w: Math.max(1 / 128, Math.min(w / 128, 1 - left)) },
        ...{
          h: Math.max(1 / 72, Math.min(h / 72, 1 - top)),
          start: start / 50,
          end: (start + lasts + 1) / 50,
        },
      }
    }),
  { maxLength: 12 },
)

/** Reference implementation, pixel by pixel. */
function expected(remove: readonly Region[], protect: readonly Region[], frame: number): Uint8Array {
  const touches = ({ x, y, w, h, start, end }: Region, column: number, row: number) =>
    start <= frame / 25 + 1e-9 &&
    frame / 25 < end - 1e-9 &&
    x * 64 < column + 1 - 1e-9 &&
    (x + w) * 64 > column + 1e-9 &&
    y * 36 < row + 1 - 1e-9 &&
    (y + h) * 36 > row + 1e-9
  return Uint8Array.from({ length: 64 * 36 }, (_, at) => {
    const [column, row] = [at % 64, Math.floor(at / 64)]
    const isIn = (list: readonly Region[]) => list.some((one) => touches(one, column, row))
    return Number(isIn(remove) && !isIn(protect))
  })
}

function painted(patches: readonly Patch[], { width, height } = size): Uint8Array {
  const all = new Uint8Array(width * height)
  for (const { x, y, width: across, height: down, mask } of patches) {
    for (let row = 0; row < down; row++) {
      for (let column = 0; column < across; column++) {
        all[(y + row) * width + x + column] =
          (all[(y + row) * width + x + column] ?? 0) + (mask[row * across + column] ?? 0)
      }
    }
  }
  return all
}

test('pixels touched by a removed region and by no protected one are treated, once, on exactly their frames', () => {
  fc.assert(
    fc.property(regions, regions, fc.array(fc.nat(70), { maxLength: 5 }), (remove, protect, frames) => {
      const patchesAt = createPatchLookup({ remove, protect }, { size, rate })
      for (const frame of frames) {
        const patches = patchesAt(frame)
        expect(Buffer.compare(painted(patches), expected(remove, protect, frame))).toBe(0)
        for (const { x, y, width, height, mask } of patches) {
          expect([x % 2, y % 2, width % 2, height % 2]).toEqual([0, 0, 0, 0])
          expect(mask).toHaveLength(width * height)
          expect(mask.includes(1)).toBe(true)
        }
        expect(patchesAt(frame)).toBe(patches)
      }
    }),
    { numRuns: 100 },
  )
})

test('consecutive frames with the same patches return the same object', () => {
  const remove = [{ x: 0, y: 0, w: 0.5, h: 0.5, start: 0.2, end: 1 }]
  const patchesAt = createPatchLookup({ remove, protect: [] }, { size, rate })
  const patches = Array.from({ length: 30 }, (_, frame) => patchesAt(frame))
  expect(patches.map((one) => one.length)).toEqual(
    Array.from({ length: 30 }, (_, frame) => Number(frame >= 5 && frame < 25)),
  )
  expect(new Set(patches.slice(5, 25)).size).toBe(1)
})

test('separate boxes are separate patches; touching boxes share one', () => {
  const at = (x: number, y: number) => ({ x: x / 256, y: y / 256, w: 1 / 16, h: 1 / 16, start: 0, end: 1 })
  const large = { width: 256, height: 256 }
  const patchesAt = (...remove: Region[]) =>
    createPatchLookup({ remove, protect: [] }, { size: large, rate })(0)
  expect(patchesAt(at(0, 0), at(100, 0), at(200, 200))).toHaveLength(3)
  expect(patchesAt(at(0, 0), at(16, 16))).toHaveLength(1)
  expect(patchesAt(at(0, 0), at(8, 8), at(100, 100), at(110, 100))).toHaveLength(2)
})

describe('times', () => {
  test('of a frame may be rounded to any decimals, down to milliseconds', () => {
    fc.assert(
      fc.property(
        fc.nat(200_000),
        fc.nat(5000),
        fc.constantFrom(rate, { num: 30_000, den: 1001 }, { num: 24_000, den: 1001 }, { num: 120, den: 1 }),
        fc.constantFrom(3, 6, 9, 17),
        (first, lasts, { num, den }, digits) => {
          const time = (frame: number) => Number(((frame * den) / num).toFixed(digits))
          const end = first + lasts + 1
          expect(framesBetween({ start: time(first), end: time(end) }, { num, den })).toEqual({ first, end })
        },
      ),
      // Ends exactly between two milliseconds.
      { examples: [[8054, 0, { num: 30_000, den: 1001 }, 3]] },
    )
  })

  test('between two frames contain no frame, and the end is exclusive', () => {
    expect(framesBetween({ start: 0.041, end: 0.079 }, rate)).toEqual({ first: 2, end: 2 })
    expect(framesBetween({ start: 0.04, end: 0.08 }, rate)).toEqual({ first: 1, end: 2 })
  })
})

describe('edges', () => {
  test('of a pixel may be rounded to any decimals', () => {
    fc.assert(
      fc.property(fc.nat(3999), fc.nat(3999), fc.constantFrom(6, 9, 17), (one, other, digits) => {
        const [left, right] = [Math.min(one, other), Math.max(one, other) + 1]
        const part = (value: number) => Number((value / 4000).toFixed(digits))
        const box = pixelBox(
          { x: part(left), y: 0, w: part(right) - part(left), h: 1 },
          { width: 4000, height: 10 },
        )
        expect(box).toEqual({ left, right, top: 0, bottom: 10 })
      }),
    )
  })

  test('cover partially covered pixels, and at least one', () => {
    expect(pixelBox({ x: 0.26, y: 0.26, w: 0.3, h: 1e-9 }, { width: 10, height: 10 })).toEqual({
      left: 2,
      right: 6,
      top: 2,
      bottom: 3,
    })
    expect(pixelBox({ x: 1, y: 1, w: 1e-9, h: 1e-9 }, { width: 10, height: 10 })).toEqual({
      left: 9,
      right: 10,
      top: 9,
      bottom: 10,
    })
  })

  test('of a picture with odd sides: the last column and row are treated in a still image only', () => {
    const whole = [{ x: 0, y: 0, w: 1, h: 1, start: 0, end: 1 }]
    const odd = { width: 7, height: 5 }
    const [patch] = createPatchLookup({ remove: whole, protect: [] }, { size: odd, rate })(0)
    expect([patch?.width, patch?.height]).toEqual([6, 4])
    expect(painted(stillPatches(whole, odd), odd)).toEqual(new Uint8Array(35).fill(1))
    const last = [{ x: 6 / 7, y: 0, w: 1 / 7, h: 1, start: 0, end: 1 }]
    expect(createPatchLookup({ remove: last, protect: [] }, { size: odd, rate })(0)).toEqual([])
  })
})

test('twenty thousand regions, simultaneous or consecutive, take linear time', () => {
  const count = 20_000
  const remove = Array.from({ length: count }, (_, index) => ({
    ...{ x: (index % 97) / 100, y: (index % 89) / 100, w: 0.03, h: 0.03 },
    ...{ start: index / 100, end: index % 2 === 0 ? 1000 : index / 100 + 0.5 },
  }))
  const patchesAt = createPatchLookup({ remove, protect: remove.slice(0, 1000) }, { size, rate })
  const began = process.cpuUsage()
  let pixels = 0
  for (let frame = 4000; frame < 4100; frame++)
    pixels += painted(patchesAt(frame)).reduce((sum, one) => sum + one, 0)
  const { user, system } = process.cpuUsage(began)
  expect(pixels).toBeGreaterThan(0)
  // A pairwise comparison would take minutes.
  expect((user + system) / 1e6).toBeLessThan(10)
})
