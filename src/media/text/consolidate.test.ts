import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Bounds } from '../geometry.ts'
import { removeContainedTexts } from './consolidate.ts'
import type { FoundText } from './found-text.ts'

const line: Bounds = { left: 100, top: 300, right: 500, bottom: 340 }
const half: Bounds = { ...line, right: 180 }
const elsewhere: Bounds = { left: 100, top: 20, right: 300, bottom: 60 }

function text(box: Bounds, first: number, last: number): FoundText {
  return {
    boxAt: () => box,
    moving: false,
    first,
    last,
    score: 0.9,
    detectionCount: 3,
    firstSample: first,
    edgeDensity: 4,
  }
}

const times = (texts: readonly FoundText[]) => texts.map(({ first, last }) => [first, last])

describe('a text inside another', () => {
  it('is removed during the time of the other, and kept for the rest', () => {
    const kept = removeContainedTexts([text(line, 0, 99), text(half, 20, 119)], 15)
    expect(times(kept)).toEqual([
      [0, 99],
      [100, 119],
    ])
    expect(times(removeContainedTexts([text(line, 20, 119), text(half, 0, 135)], 15))).toEqual([
      [0, 19],
      [20, 119],
      [120, 135],
    ])
  })

  it('is removed if the rest is shorter than the sampling step, because it was a part of the other fading in', () => {
    expect(times(removeContainedTexts([text(line, 10, 99), text(half, 0, 99)], 15))).toEqual([[10, 99]])
  })

  it('is removed for each text that contains it', () => {
    const kept = removeContainedTexts([text(line, 0, 139), text(line, 155, 199), text(half, 0, 199)], 15)
    expect(times(kept)).toEqual([
      [0, 139],
      [140, 154],
      [155, 199],
    ])
  })

  it('is kept at another position', () => {
    expect(removeContainedTexts([text(line, 0, 99), text(elsewhere, 0, 99)], 15)).toHaveLength(2)
  })

  it('is kept in an empty corner of the box of a tilted text', () => {
    const tilted = {
      ...text({ left: 0, top: 0, right: 600, bottom: 400 }, 0, 99),
      tilt: { angle: -0.55, letterSize: 40 },
    }
    expect(removeContainedTexts([tilted, text(line, 0, 99)], 15)).toHaveLength(2)
  })

  it('is kept if it is tilted and inside the box of a horizontal text, or crosses it', () => {
    const title = text({ left: 200, top: 380, right: 800, bottom: 420 }, 0, 99)
    const beside = {
      ...text({ left: 327.5, top: 249.5, right: 472.5, bottom: 350.5 }, 20, 60),
      tilt: { angle: Math.PI / 6, letterSize: 30 },
    }
    const crossing = {
      ...text({ left: 300, top: 300, right: 600, bottom: 500 }, 0, 99),
      tilt: { angle: 0.55, letterSize: 40 },
    }
    expect(removeContainedTexts([title, beside], 15)).toHaveLength(2)
    expect(removeContainedTexts([title, crossing], 15)).toHaveLength(2)
  })

  it('leaves no longer time of any text uncovered', () => {
    const one = fc.record({
      box: fc.constantFrom(line, half, elsewhere),
      first: fc.nat(200),
      length: fc.integer({ min: 1, max: 200 }),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 6 }), (given) => {
        const texts = given.map(({ box, first, length }) => text(box, first, first + length - 1))
        const kept = removeContainedTexts(texts, 15)
        for (const { boxAt, first, last } of texts) {
          const box = boxAt(first)
          let [bare, longest] = [0, 0]
          for (let frame = first; frame <= last; frame += 1) {
            const covered = kept.some((other) => {
              const there = other.boxAt(frame)
              return (
                other.first <= frame &&
                frame <= other.last &&
                there.left <= box.left &&
                there.right >= box.right &&
                there.top === box.top
              )
            })
            bare = covered ? 0 : bare + 1
            longest = Math.max(longest, bare)
          }
          expect(longest).toBeLessThan(15)
        }
      }),
    )
  })
})
