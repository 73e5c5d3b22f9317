import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TextBox } from './box.ts'
import { mergeScales } from './scales.ts'
import { boxAround } from './tilted-line.ts'

const picture = { width: 1000, height: 800 }
const title = { left: 200, top: 380, right: 800, bottom: 420, score: 0.9 }

const tilted = (x: number, y: number, length: number, letters: number, degrees = 30): TextBox => {
  return { ...boxAround({ x, y, length, letters, angle: (degrees * Math.PI) / 180 }), score: 0.9 }
}

describe('lines of several sizes of a picture', () => {
  it.each([
    ['beside it', tilted(400, 300, 150, 30)],
    ['larger and above it', tilted(400, 280, 250, 40)],
    ['across all of it', tilted(500, 400, 700, 60)],
  ])('are both kept, one level and one tilted %s', (_, other) => {
    for (const boxes of [
      [title, other],
      [other, title],
    ])
      expect(mergeScales([{ ...picture, boxes }])).toHaveLength(2)
  })

  it('are both kept where they are tilted unlike', () => {
    const boxes = [tilted(500, 400, 600, 40, 30), tilted(500, 400, 600, 40, -30)]
    expect(mergeScales([{ ...picture, boxes }])).toHaveLength(2)
  })

  it('are one where they lie alike, though their tilt was told some degrees off', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 80 }), fc.integer({ min: -2, max: 2 }), (degrees, off) => {
        const fine = tilted(500, 400, 400, 36, degrees)
        const coarse = tilted(250, 200, 200, 18, degrees + off)
        const looks = [
          { width: 500, height: 400, boxes: [coarse] },
          { ...picture, boxes: [fine] },
        ]
        expect(mergeScales(looks)).toEqual([fine])
      }),
    )
  })
})
