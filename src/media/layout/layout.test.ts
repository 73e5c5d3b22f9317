import { sampleCases } from '../../../test/soak-size.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outputRatios } from '../../contract/catalog.ts'
import { canvasSize, containedSize, fitAxis, gapPixels, positionError } from './canvas.ts'
import { offeredLayouts } from './choose.ts'
import { findLayout, layoutsFor, parseShape, slotRects, slotShares } from './layout.ts'
import type { Rect, Size } from '../geometry.ts'

const counts = Array.from({ length: 15 }, (_, index) => index + 2)
const qualities = ['720p', '1080p'] as const
const canvases = outputRatios.flatMap((ratio) => qualities.map((quality) => canvasSize(ratio, quality)))

/** Returns whether slots and gaps tile the canvas without overlaps, at even positions and with even sizes. */
function tiles(slots: readonly Rect[], canvas: Size, gap: number): boolean {
  const even = slots.every(({ x, y, width, height }) =>
    [x, y, width, height].every((value) => value % 2 === 0),
  )
  const inside = slots.every(
    ({ x, y, width, height }) =>
      x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= canvas.width && y + height <= canvas.height,
  )
  const area = slots.reduce((sum, { width, height }) => sum + (width + gap) * (height + gap), 0)
  const areApart = slots.every((one, index) =>
    slots
      .slice(index + 1)
      .every(
        (other) =>
          one.x + one.width + gap <= other.x ||
          other.x + other.width + gap <= one.x ||
          one.y + one.height + gap <= other.y ||
          other.y + other.height + gap <= one.y,
      ),
  )
  return even && inside && areApart && area === (canvas.width + gap) * (canvas.height + gap)
}

describe('the catalogue', () => {
  it('check detects an overlap, a hole and an odd pixel', () => {
    const canvas = { width: 20, height: 10 }
    const left = { x: 0, y: 0, width: 8, height: 10 }
    expect(tiles([left, { x: 10, y: 0, width: 10, height: 10 }], canvas, 2)).toBe(true)
    expect(tiles([left, { x: 8, y: 0, width: 12, height: 10 }], canvas, 2)).toBe(false)
    expect(tiles([left, { x: 12, y: 0, width: 8, height: 10 }], canvas, 2)).toBe(false)
    expect(
      tiles(
        [
          { ...left, width: 9 },
          { x: 11, y: 0, width: 9, height: 10 },
        ],
        canvas,
        2,
      ),
    ).toBe(false)
  })

  it.each(counts)('tiles canvases for %i clips, with gaps from none to the largest', (clips) => {
    const failures: string[] = []
    for (const canvas of canvases) {
      const largest = gapPixels(canvas, 0.05)
      const gaps = Array.from({ length: largest / 2 + 1 }, (_, index) => 2 * index)
      for (const gap of sampleCases(gaps, 6)) {
        for (const layout of layoutsFor(clips)) {
          if (!tiles(slotRects(layout, canvas, { gap, step: 2 }), canvas, gap)) {
            failures.push(`${layout.id} on ${canvas.width}x${canvas.height} with gap ${gap}`)
          }
        }
      }
    }
    expect(failures).toEqual([])
  })

  it('rounds the gap, a share of the shorter side, to an even number', () => {
    expect(gapPixels({ width: 1080, height: 1920 }, 0.008)).toBe(8)
    expect(gapPixels({ width: 1280, height: 720 }, 0.008)).toBe(6)
    expect(gapPixels({ width: 720, height: 720 }, 0)).toBe(0)
    fc.assert(
      fc.property(
        fc.constantFrom(...canvases),
        fc.double({ min: 0, max: 0.05, noNaN: true }),
        (canvas, ratio) => {
          const gap = gapPixels(canvas, ratio)
          return gap % 2 === 0 && Math.abs(gap - ratio * Math.min(canvas.width, canvas.height)) <= 1
        },
      ),
    )
  })

  it.each(counts)(
    'offers enough layouts for %i clips in each output ratio, without long, narrow slots',
    (clips) => {
      for (const ratio of outputRatios) {
        const layouts = offeredLayouts(clips, ratio)
        expect(layouts.length).toBeGreaterThanOrEqual(clips <= 6 ? 16 : 4)
        expect(new Set(layouts.map(({ equivalenceKey }) => equivalenceKey)).size).toBeGreaterThanOrEqual(4)
        const { width, height } = canvasSize(ratio, '1080p')
        const aspects = layouts.flatMap(slotShares).map((slot) => {
          const aspect = (slot.width * width) / (slot.height * height)
          return Math.max(aspect, 1 / aspect)
        })
        expect(Math.max(...aspects)).toBeLessThanOrEqual(3.6)
      }
    },
  )

  it.each(counts)('has no duplicate layouts for %i clips, and finds each layout by its id', (clips) => {
    const layouts = layoutsFor(clips)
    const pictures = layouts.map((layout) =>
      slotShares(layout)
        .map(({ x, y, width, height }) => [x, y, width, height].map((share) => share.toFixed(6)).join(' '))
        .join(),
    )
    expect(new Set(pictures).size).toBe(layouts.length)
    expect(new Set(layouts.map(({ id }) => id)).size).toBe(layouts.length)
    for (const layout of layouts) {
      expect(findLayout(layout.id)).toBe(layout)
      expect(layout.order.toSorted((one, other) => one - other)).toEqual(
        layouts[0]?.order.map((_, index) => index),
      )
    }
  })

  it.each(counts)(
    'has equal slot sizes for %i clips in all layouts with the same key, and others with other keys',
    (clips) => {
      const canvas = canvasSize('9:16', '1080p')
      const division = { gap: gapPixels(canvas, 0.008), step: 2 }
      const keys = new Map<string, string>()
      for (const group of Map.groupBy(layoutsFor(clips), ({ equivalenceKey }) => equivalenceKey).values()) {
        const [first] = group
        if (!first) throw new Error('an empty group')
        const sizes = slotShares(first)
          .map(({ width, height }) => `${width.toFixed(6)} ${height.toFixed(6)}`)
          .join()
        expect(keys.get(sizes)).toBeUndefined()
        keys.set(sizes, first.equivalenceKey)
        const pixels = slotRects(first, canvas, division)
        const differences = group.flatMap((layout) =>
          slotRects(layout, canvas, division).flatMap((slot, clip) => [
            Math.abs(slot.width - (pixels[clip]?.width ?? 0)),
            Math.abs(slot.height - (pixels[clip]?.height ?? 0)),
          ]),
        )
        // Equal without gaps. Shapes with a different nesting distribute a gap differently.
        expect(Math.max(...differences)).toBeLessThanOrEqual(division.gap)
      }
    },
  )

  it('has no layouts for fewer than 2 or more than 16 clips', () => {
    expect([0, 1, 17].flatMap(layoutsFor)).toEqual([])
    expect([0, -1, 1, 100_100, 1_700_100, 2_147_483_647].map(findLayout)).toEqual(Array(6).fill(undefined))
  })
})

describe('fitting a picture into a slot', () => {
  const side = fc
    .record({
      length: fc.integer({ min: 200, max: 4000 }),
      left: fc.double({ min: 0, max: 0.3, noNaN: true }),
      right: fc.double({ min: 0, max: 0.3, noNaN: true }),
      half: fc.integer({ min: 40, max: 960 }),
    })
    .map(({ length, left, right, half }) => ({
      length,
      from: left * length,
      to: length * (1 - right),
      shown: 2 * half,
    }))

  it('uses integer pixels inside the picture, and starts at an even one', () => {
    fc.assert(
      fc.property(side, (options) => {
        const fit = fitAxis(options)
        const { start, cropped, scaled, offset, shown } = fit
        const inside =
          start >= 0 && start + cropped <= options.length && offset >= 0 && offset + shown <= scaled
        return (
          Object.values(fit).every(Number.isInteger) && start % 2 === 0 && inside && shown === options.shown
        )
      }),
    )
  })

  it('has a position error below 0.75 pixels, mostly below 0.1', () => {
    const errors: number[] = []
    fc.assert(
      fc.property(side, (options) => {
        errors.push(positionError(fitAxis(options), options))
        return (errors.at(-1) ?? 1) < 0.75
      }),
      { numRuns: 300 },
    )
    expect(errors.toSorted((one, other) => one - other)[Math.floor(errors.length * 0.8)]).toBeLessThan(0.1)
  })

  it('returns a whole picture unchanged', () => {
    expect(fitAxis({ length: 427, from: 0, to: 427, shown: 300 })).toEqual({
      start: 0,
      cropped: 427,
      scaled: 300,
      offset: 0,
      shown: 300,
    })
  })

  it('contains a picture within 2 pixels of its exact size, exactly centred', () => {
    const slots = fc.record({
      width: fc.integer({ min: 30, max: 960 }),
      height: fc.integer({ min: 30, max: 960 }),
    })
    fc.assert(
      fc.property(slots, fc.double({ min: 0.3, max: 3, noNaN: true }), (halves, aspect) => {
        const slot = { width: 2 * halves.width, height: 2 * halves.height }
        const picture = containedSize(slot, aspect)
        const exact = Math.min(slot.width, slot.height * aspect)
        return (
          (slot.width - picture.width) % 4 === 0 &&
          (slot.height - picture.height) % 4 === 0 &&
          Math.abs(picture.width - exact) <= 2 + 1e-9 &&
          Math.abs(picture.height - exact / aspect) <= 2 + 1e-9
        )
      }),
    )
  })
})

describe('the notation of shapes', () => {
  it('supports rows, columns, weights and groups', () => {
    const slot = { kind: 'slot' }
    const two = { kind: 'columns', parts: [slot, slot].map((shape) => ({ weight: 1, shape })) }
    expect(parseShape('1')).toEqual(slot)
    expect(parseShape('2')).toEqual(two)
    expect(parseShape('1|1')).toEqual(two)
    expect(parseShape('3*1/2')).toEqual({
      kind: 'rows',
      parts: [
        { weight: 3, shape: slot },
        { weight: 1, shape: two },
      ],
    })
    expect(parseShape('2*(2)/1')).toEqual(parseShape('2*2/1'))
  })

  it.each(['', '1/', '(1', '1)', '0', '0*1', '2*', 'a', '1 ** 2'])('rejects %j', (text) => {
    expect(() => parseShape(text)).toThrow(TypeError)
  })
})
