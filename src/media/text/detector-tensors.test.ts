import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textBoxes } from './detector-tensors.ts'

const [width, height] = [320, 200]

/** Cores of lines, each in a separate cell so that none touch. */
const cores = fc
  .uniqueArray(
    fc.record({
      cell: fc.nat(11),
      left: fc.nat(10),
      top: fc.nat(10),
      across: fc.integer({ min: 12, max: 70 }),
      down: fc.integer({ min: 2, max: 12 }),
      probability: fc.double({ min: 0.35, max: 1, noNaN: true }),
    }),
    { selector: ({ cell }) => cell, maxLength: 12 },
  )
  .map((all) =>
    all
      .map(({ cell, left, top, ...core }) => ({
        ...core,
        left: (cell % 3) * 106 + left + 10,
        top: Math.floor(cell / 3) * 50 + top + 10,
      }))
      .toSorted((one, other) => one.top - other.top || one.left - other.left),
  )

function mapOf(drawn: (x: number, y: number) => number) {
  return {
    width,
    height,
    values: new Float32Array(width * height).map((_, at) => drawn(at % width, Math.floor(at / width))),
  }
}

describe('boxes of a probability map', () => {
  it('surround each core, with its probability as score', () => {
    fc.assert(
      fc.property(cores, (all) => {
        const boxes = textBoxes(
          mapOf((x, y) => {
            const core = all.find(
              ({ left, top, across, down }) => x >= left && y >= top && x < left + across && y < top + down,
            )
            return core?.probability ?? 0.1
          }),
        ).toSorted((one, other) => one.top - other.top || one.left - other.left)
        expect(boxes).toHaveLength(all.length)
        for (const core of all) {
          const box = boxes.find(
            ({ left, top, right, bottom }) =>
              left < core.left &&
              top < core.top &&
              right > core.left + core.across &&
              bottom > core.top + core.down,
          )
          expect(box?.score).toBeCloseTo(core.probability, 4)
          // A core is a line shrunk by less than half its height.
          expect((box?.bottom ?? 0) - (box?.top ?? 0)).toBeLessThan(3 * core.down + 1)
        }
      }),
      { numRuns: 12 },
    )
  })

  it('of a tilted line have the thickness of that line', () => {
    const [box] = textBoxes(mapOf((x, y) => (Math.abs(y - 40 - x / 4) < 3 && x > 40 && x < 240 ? 1 : 0)))
    expect(box).toMatchObject({ score: 1 })
    expect((box?.bottom ?? 0) - (box?.top ?? 0)).toBeLessThan(50 + 6 + 2 * 6)
  })

  it('exclude specks', () => {
    expect(textBoxes(mapOf((x, y) => (x % 20 === 3 && y % 20 === 3 ? 1 : 0)))).toEqual([])
  })

  it('have the tilt of a tilted bar, but none of a bend', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 80 }), fc.boolean(), (degrees, isRising) => {
        const angle = ((isRising ? -1 : 1) * degrees * Math.PI) / 180
        const [box, ...others] = textBoxes(
          mapOf((x, y) => {
            const along = (x - 160) * Math.cos(angle) + (y - 100) * Math.sin(angle)
            const aside = (y - 100) * Math.cos(angle) - (x - 160) * Math.sin(angle)
            return Math.abs(along) <= 70 && Math.abs(aside) <= 5 ? 0.9 : 0
          }),
        )
        expect(others).toEqual([])
        expect(box?.tilt?.angle).toBeCloseTo(angle, 1)
        expect(box?.tilt?.letterSize).toBeGreaterThan(20)
        expect(box?.tilt?.letterSize).toBeLessThan(30)
      }),
      { numRuns: 20 },
    )
    const bend = textBoxes(mapOf((x, y) => (x < 20 ? Number(y < 150) : Number(x < 200 && y < 15))))
    expect(bend.map(({ tilt }) => tilt)).toEqual([undefined])
  })

  it('of a tilted bar cut by the picture are centred on its axis', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 15, max: 60 }),
        fc.constantFrom(0, width),
        fc.constantFrom(4, 9),
        (degrees, x0, half) => {
          const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
          const aside = (x: number, y: number) => (y - 100) * cos - (x - x0) * sin
          const isBar = (x: number, y: number) =>
            Math.abs((x - x0) * cos + (y - 100) * sin) <= 90 && Math.abs(aside(x, y)) <= half
          const [box] = textBoxes(mapOf((x, y) => (isBar(x + 0.5, y + 0.5) ? 0.9 : 0)))
          if (!box) throw new TypeError('no bar')
          const off = aside((box.left + box.right) / 2, (box.top + box.bottom) / 2)
          expect(Math.abs(off)).toBeLessThan(1)
          expect(box.tilt).toBeDefined()
        },
      ),
      { numRuns: 30 },
    )
  })
})
