import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findOnset } from './onset.ts'

/** What shows of a text that comes along a straight way between two levels, with noise. */
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
      const amounts = Array.from({ length: before + fade + after }, (_, index) => level(index))
      return { before, amounts, noise: [...noise.take(amounts.length)] }
    })

describe('the coming of a text', () => {
  it('is found to the frame, faded or not', () => {
    fc.assert(
      fc.property(coming(30), ({ before, amounts }) => {
        const onset = findOnset(amounts, 5)
        expect(Math.abs((onset?.firstVisible ?? Infinity) - before)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 },
    )
  })

  it('is found to the frame in noise where it is at once', () => {
    fc.assert(
      fc.property(coming(0), ({ before, amounts, noise }) => {
        const noisy = amounts.map((amount, index) => amount + 0.15 * (noise[index] ?? 0))
        expect(Math.abs((findOnset(noisy, 5)?.firstVisible ?? Infinity) - before)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 },
    )
  })

  it('is none in what stays the same', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { maxLength: 60 }), (amounts) => {
        expect(findOnset(amounts, 5)).toBeUndefined()
      }),
    )
  })
})
