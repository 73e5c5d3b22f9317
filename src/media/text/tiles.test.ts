import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boxArea, boxHeight, translateBox, intersectBoxes, boxWidth } from './box.ts'
import { mergeScales } from './lines.ts'
import { mergeTileLines, splitIntoTiles, type Tile } from './tiles.ts'
import type { Bounds } from '../geometry.ts'

const even = (min: number, max: number) => fc.integer({ min: min / 2, max: max / 2 }).map((half) => 2 * half)

/** Long frames, horizontal and vertical; their pixels do not matter. */
const size = fc
  .tuple(even(32, 300), even(1282, 6000), fc.boolean())
  .map(([short, long, isTall]) => (isTall ? { width: short, height: long } : { width: long, height: short }))

const tilesIn = ({ width, height }: { width: number; height: number }) =>
  splitIntoTiles({ width, height, bytes: new Uint8Array((width * height * 3) / 2) })

const extent = ({ left, top, frame }: Tile): Bounds => {
  return { left, top, right: left + frame.width, bottom: top + frame.height }
}

describe('tiles of a long frame', () => {
  it('cover every pixel and overlap by at least 15 % of their length', () => {
    fc.assert(
      fc.property(size, ({ width, height }) => {
        const extents = tilesIn({ width, height }).map(extent)
        const [from, to, across, long] =
          height > width
            ? (['top', 'bottom', boxWidth, height] as const)
            : (['left', 'right', boxHeight, width] as const)
        expect(extents.every((one) => across(one) === Math.min(width, height))).toBe(true)
        expect([extents[0]?.[from], extents.at(-1)?.[to]]).toEqual([0, long])
        for (const [index, one] of extents.entries()) {
          const next = extents[index + 1]
          if (next) expect(one[to] - next[from]).toBeGreaterThanOrEqual(0.15 * (one[to] - one[from]))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('yield each line once and whole, at any position', () => {
    const placed = size.chain(({ width, height }) =>
      fc.record({
        size: fc.constant({ width, height }),
        left: fc.integer({ min: 0, max: Math.max(0, width - 30) }),
        top: fc.integer({ min: 0, max: Math.max(0, height - 24) }),
        across: fc.integer({ min: 30, max: 3000 }),
      }),
    )
    fc.assert(
      fc.property(placed, ({ size: picture, left, top, across }) => {
        const line = { left, top, right: Math.min(picture.width, left + across), bottom: top + 24 }
        const found = tilesIn(picture).map((tile) => {
          const there = translateBox(intersectBoxes(line, extent(tile)), -tile.left, -tile.top)
          return { tile, boxes: boxArea(there) > 0 ? [{ ...there, score: 0.9 }] : [] }
        })
        const boxes = mergeScales([{ ...picture, boxes: mergeTileLines(found, picture) }])
        expect(boxes).toEqual([{ ...line, score: expect.closeTo(0.9) as number }])
      }),
      { numRuns: 60 },
    )
  })
})
