import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Region } from '../clean/region.ts'
import { searchArea, clipToAreas } from './within.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const region: fc.Arbitrary<Region> = fc
  .record({ x: share, y: share, w: share, h: share, start: share, length: share })
  .map(({ x, y, w, h, start, length }) => ({
    ...{ x: x * 0.9, y: y * 0.9, start, end: start + 0.01 + length },
    ...{ w: 0.01 + w * (0.99 - 0.9 * x), h: 0.01 + h * (0.99 - 0.9 * y) },
  }))

const ends = ({ x, y, w, h, start, end }: Region) => [x, y, -(x + w), -(y + h), start, -end]

const small = { x: 0, y: 0, w: 0.01, h: 0.01, start: 0, end: 0.01 }

/** Whether one lies in another, but for rounding. */
const liesIn = (one: Region, other: Region) =>
  ends(one).every((end, index) => end >= (ends(other)[index] ?? 0) - 1e-9)

describe('text within areas', () => {
  it('is cut to them, none of it twice', () => {
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
            expect(found.some((whole) => liesIn(one, whole))).toBe(true)
            expect(areas.some((area) => liesIn(one, area))).toBe(true)
          }
          const whole = found.filter((one) => areas.some((area) => liesIn(one, area)))
          for (const one of whole) expect(inside.filter((part) => liesIn(one, part))).not.toEqual([])
          expect(clipToAreas(inside, [...areas, ...areas])).toEqual(inside)
        },
      ),
      // Of the part that is cut off, place and height do not add up to where it ended.
      { examples: [[[small], [{ ...small, y: 0.000333048677012184 }, small]]] },
    )
  })

  it('is looked for around all of them, inside the picture', () => {
    fc.assert(
      fc.property(fc.array(region, { minLength: 1, maxLength: 4 }), (areas) => {
        const around = { ...searchArea(areas), start: 0, end: 9 }
        for (const area of areas) expect(liesIn(area, around)).toBe(true)
        expect(liesIn(around, { x: 0, y: 0, w: 1, h: 1, start: 0, end: 9 })).toBe(true)
      }),
    )
    expect(searchArea(undefined)).toEqual({ x: 0, y: 0, w: 1, h: 1 })
  })
})
