import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areaOf, shared, type Placed } from './box.ts'
import { besideLevel, inLine, stepsAlong } from './tilt.ts'

interface Line {
  readonly x: number
  readonly y: number
  readonly length: number
  readonly letters: number
  /** To the level, radians. */
  readonly angle: number
}

/** The box around a tilted line. */
function boxAround({ x, y, length, letters, angle }: Line): Placed {
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  const across = (length * cos + letters * sin) / 2
  const down = (length * sin + letters * cos) / 2
  const box = { left: x - across, top: y - down, right: x + across, bottom: y + down }
  return { ...box, tilt: { angle, letters } }
}

/** A place in a line: shares of its length and thickness from its middle, -0.5 to 0.5. */
function placeIn({ x, y, length, letters, angle }: Line, along: number, aside: number) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return {
    x: x + along * length * cos - aside * letters * sin,
    y: y + along * length * sin + aside * letters * cos,
  }
}

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const lines = fc
  .record({
    ...{ x: number(300, 700), y: number(300, 700), letters: number(12, 80), times: number(3, 20) },
    ...{ degrees: number(8, 82), isRising: fc.boolean() },
  })
  .map(({ times, degrees, isRising, ...line }): Line => {
    const angle = ((isRising ? -1 : 1) * degrees * Math.PI) / 180
    return { ...line, length: times * line.letters, angle }
  })
const share = number(-0.5, 0.5)

describe('a tilted line', () => {
  it('is held by boxes along it that hold little else', () => {
    fc.assert(
      fc.property(lines, share, share, (line, along, aside) => {
        const box = boxAround(line)
        const steps = stepsAlong(box)
        const { x, y } = placeIn(line, along, aside)
        const holds = ({ left, top, right, bottom }: Placed) =>
          x >= left - 1e-6 && x <= right + 1e-6 && y >= top - 1e-6 && y <= bottom + 1e-6
        expect(steps.some(holds)).toBe(true)
        expect(inLine(box)(x, y) || Math.abs(aside) > 0.499).toBe(true)
        const area = steps.reduce((sum, step) => sum + areaOf(step), 0)
        expect(area).toBeLessThan(4 * line.length * line.letters)
      }),
    )
  })

  it('shares nothing with one beside it, however much their boxes do, and all with itself', () => {
    fc.assert(
      fc.property(lines, (line) => {
        const away = placeIn(line, 0, 1.2)
        const [one, other] = besideLevel(boxAround({ ...line, ...away }), boxAround(line))
        const both = shared(one, other)
        expect(both.bottom - both.top).toBeLessThan(0)
        const [here, same] = besideLevel(boxAround(line), boxAround(line))
        expect(areaOf(shared(here, same))).toBeCloseTo(areaOf(here), 3)
      }),
    )
  })

  it('does not hold a level one in a corner of its box, as which a level one holds what lies in it', () => {
    const tilted = boxAround({ x: 400, y: 400, length: 600, letters: 40, angle: Math.PI / 6 })
    const level = { left: 150, top: 500, right: 350, bottom: 530 }
    const [corner, whole] = besideLevel(level, tilted)
    expect(areaOf(shared(level, tilted))).toBe(areaOf(level))
    expect(areaOf(shared(corner, whole))).toBeLessThan(0.1 * areaOf(corner))
    expect(besideLevel(level, level)).toEqual([level, level])
    expect(stepsAlong(level)).toEqual([level])
    expect(inLine(level)(0, 0)).toBe(true)
  })
})
