import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boxArea, intersectBoxes, type LineBox } from './box.ts'
import { lineMembership, lineArea, lineIntersectionArea, boxesAlongLine } from './tilt.ts'
import { boxAround, pointInLine, type TiltedLine } from '../../../test/footage/tilted-line.ts'

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const lines = fc
  .record({
    ...{ x: number(300, 700), y: number(300, 700), letters: number(12, 80), times: number(3, 20) },
    ...{ degrees: number(8, 82), isRising: fc.boolean() },
  })
  .map(({ times, degrees, isRising, ...line }): TiltedLine => {
    const angle = ((isRising ? -1 : 1) * degrees * Math.PI) / 180
    return { ...line, length: times * line.letters, angle }
  })
const share = number(-0.5, 0.5)

describe('a tilted line', () => {
  it('is covered closely by boxes along it', () => {
    fc.assert(
      fc.property(lines, share, share, (line, along, aside) => {
        const box = boxAround(line)
        const steps = boxesAlongLine(box)
        const { x, y } = pointInLine(line, along, aside)
        const holds = ({ left, top, right, bottom }: LineBox) =>
          x >= left - 1e-6 && x <= right + 1e-6 && y >= top - 1e-6 && y <= bottom + 1e-6
        expect(steps.some(holds)).toBe(true)
        expect(lineMembership(box)(x, y) || Math.abs(aside) > 0.499).toBe(true)
        const area = steps.reduce((sum, step) => sum + boxArea(step), 0)
        expect(area).toBeLessThan(4 * line.length * line.letters)
      }),
    )
  })

  it('without width or height is covered by its box alone', () => {
    for (const size of [
      { right: 100, bottom: 50 },
      { right: 300, bottom: 10 },
    ]) {
      const box = { ...{ left: 100, top: 10, ...size }, tilt: { angle: 0.5, letterSize: 20 } }
      expect(boxesAlongLine(box)).toEqual([box])
    }
  })

  it('does not intersect a parallel line with an overlapping box, and intersects itself fully', () => {
    fc.assert(
      fc.property(lines, (line) => {
        const away = pointInLine(line, 0, 1.2)
        expect(lineIntersectionArea(boxAround({ ...line, ...away }), boxAround(line))).toBeCloseTo(0, 6)
        const here = boxAround(line)
        expect(lineIntersectionArea(here, here)).toBeCloseTo(line.length * line.letters, 3)
        expect(lineArea(here)).toBeCloseTo(line.length * line.letters, 3)
      }),
    )
  })

  it('intersects another line symmetrically, in the pixels that are in both', () => {
    const near = fc.tuple(lines, lines, number(-0.6, 0.6), number(-0.6, 0.6), fc.boolean())
    fc.assert(
      fc.property(near, ([line, given, along, aside, isLevel]) => {
        const other = { ...given, ...pointInLine(line, along, aside), angle: isLevel ? 0 : given.angle }
        const [one, two] = [boxAround(line), { ...boxAround(other), ...(isLevel && { tilt: undefined }) }]
        const steps = 80
        const cell = (line.length * line.letters) / steps ** 2
        const places = Array.from({ length: steps ** 2 }, (_, at) =>
          pointInLine(line, ((at % steps) + 0.5) / steps - 0.5, (Math.floor(at / steps) + 0.5) / steps - 0.5),
        )
        const [cos, sin] = [Math.cos(other.angle), Math.sin(other.angle)]
        const inBoth = places.filter(
          ({ x, y }) =>
            Math.abs((x - other.x) * cos + (y - other.y) * sin) <= other.length / 2 &&
            Math.abs((y - other.y) * cos - (x - other.x) * sin) <= other.letters / 2,
        )
        const both = lineIntersectionArea(one, two)
        // Tolerance: one raster step at each side.
        expect(Math.abs(both - inBoth.length * cell)).toBeLessThanOrEqual(4 * steps * cell)
        expect(lineIntersectionArea(two, one)).toBeCloseTo(both, 3)
      }),
    )
  })

  it('does not contain a horizontal line in a corner of its box; a horizontal line contains what is in its box', () => {
    const tilted = boxAround({ x: 400, y: 400, length: 600, letters: 40, angle: Math.PI / 6 })
    const level = { left: 150, top: 500, right: 350, bottom: 530 }
    expect(boxArea(intersectBoxes(level, tilted))).toBe(boxArea(level))
    expect(lineIntersectionArea(level, tilted)).toBe(0)
    expect(lineIntersectionArea(level, { ...level, right: 250 })).toBe(3000)
    expect(boxesAlongLine(level)).toEqual([level])
    expect(lineMembership(level)(0, 0)).toBe(true)
  })
})
