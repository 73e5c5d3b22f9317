import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Bounds } from '../geometry.ts'
import type { TextBox } from './box.ts'
import { joinIntoLines, mergeScales } from './lines.ts'
import { boxAround } from '../../../test/footage/tilted-line.ts'

const picture = { width: 640, height: 640 }

const lines = (...boxes: readonly Bounds[]): Bounds[] =>
  joinIntoLines(
    boxes.map((box) => ({ ...box, score: 0.9 })),
    picture,
  )
    .map(({ left, top, right, bottom }) => ({ left, top, right, bottom }))
    .toSorted((one, other) => one.left - other.left || one.top - other.top)

const box = (left: number, top: number, width: number, height: number): Bounds => {
  return { left, top, right: left + width, bottom: top + height }
}

describe('boxes of a picture', () => {
  it('are joined to one line if they are words in a row', () => {
    expect(lines(box(20, 100, 120, 30), box(160, 102, 90, 28), box(20, 150, 120, 30))).toEqual([
      box(20, 100, 230, 30),
      box(20, 150, 120, 30),
    ])
  })

  it('are separate columns if they are vertical and side by side', () => {
    const columns = [box(500, 40, 36, 300), box(552, 40, 36, 280)]
    expect(lines(...columns)).toEqual(columns)
  })

  it.each([2, 3])('are separate columns of %d letters each', (letters) => {
    for (const room of [10, 20, 30]) {
      const columns = [box(400, 40, 42, 36 * letters + 6), box(442 + room, 40, 42, 36 * letters + 6)]
      expect(lines(...columns), `${room} px apart`).toEqual(columns)
    }
  })

  it('are joined to one column if they are below each other', () => {
    expect(lines(box(500, 40, 36, 160), box(500, 220, 36, 120))).toEqual([box(500, 40, 36, 300)])
  })

  it('are not joined if they are tilted, because their boxes overlap', () => {
    const tilt = { angle: 0.5, letterSize: 24 }
    const tilted = [box(20, 20, 200, 120), box(120, 30, 200, 120)].map((one) => ({
      ...one,
      score: 0.9,
      tilt,
    }))
    const level = { ...box(240, 40, 200, 110), score: 0.9 }
    expect(joinIntoLines([...tilted, level], picture)).toEqual([...tilted, level])
    // Clipping the box would move the line's axis.
    const beyond = { ...box(540, 20, 120, 90), score: 0.9, tilt }
    expect(joinIntoLines([beyond], picture)).toEqual([beyond])
  })

  it('are joined to one line although a letter is narrow', () => {
    expect(lines(box(20, 100, 12, 30), box(44, 100, 90, 30))).toEqual([box(20, 100, 114, 30)])
  })

  it('are joined in any order', () => {
    const parts = [box(500, 40, 36, 90), box(500.5, 220, 35, 90), box(501, 130, 34, 90)]
    for (const order of [
      [0, 1, 2],
      [1, 0, 2],
      [2, 1, 0],
    ]) {
      expect(lines(...order.flatMap((index) => parts[index] ?? []))).toEqual([box(500, 40, 36, 270)])
    }
  })

  it('are joined to one line of narrow letters', () => {
    expect(lines(box(20, 100, 12, 30), box(46, 101, 12, 29))).toEqual([box(20, 100, 38, 30)])
  })
})

const scaledPicture = { width: 1000, height: 800 }
const title = { left: 200, top: 380, right: 800, bottom: 420, score: 0.9 }

const tilted = (x: number, y: number, length: number, letters: number, degrees = 30): TextBox => {
  return { ...boxAround({ x, y, length, letters, angle: (degrees * Math.PI) / 180 }), score: 0.9 }
}

describe('lines detected at several scales', () => {
  it.each([
    ['beside it', tilted(400, 300, 150, 30)],
    ['larger and above it', tilted(400, 280, 250, 40)],
    ['across all of it', tilted(500, 400, 700, 60)],
  ])('are both kept, one level and one tilted %s', (_, other) => {
    for (const boxes of [
      [title, other],
      [other, title],
    ])
      expect(mergeScales([{ ...scaledPicture, boxes }])).toHaveLength(2)
  })

  it('are both kept if their tilts differ', () => {
    const boxes = [tilted(500, 400, 600, 40, 30), tilted(500, 400, 600, 40, -30)]
    expect(mergeScales([{ ...scaledPicture, boxes }])).toHaveLength(2)
  })

  it('are merged at the same position despite a small difference of tilt', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 80 }), fc.integer({ min: -2, max: 2 }), (degrees, off) => {
        const fine = tilted(500, 400, 400, 36, degrees)
        const coarse = tilted(250, 200, 200, 18, degrees + off)
        const looks = [
          { width: 500, height: 400, boxes: [coarse] },
          { ...scaledPicture, boxes: [fine] },
        ]
        expect(mergeScales(looks)).toEqual([fine])
      }),
    )
  })
})
