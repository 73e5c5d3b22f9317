import fc from 'fast-check'
import { expect, test } from 'vitest'
import { predictDecibels, chooseRateFactor, type Trial } from './rate-factor.ts'

/** Model of an encoder: fidelity and size at factor 20, and their slopes per step. */
const encoder = fc.record({
  decibels: fc.double({ min: 25, max: 60, noNaN: true }),
  perStep: fc.double({ min: 0.3, max: 1.8, noNaN: true }),
  bytes: fc.integer({ min: 200, max: 400_000 }),
  stepsToDouble: fc.double({ min: 3, max: 12, noNaN: true }),
})
const factors = fc.tuple(fc.integer({ min: 6, max: 22 }), fc.integer({ min: 2, max: 10 }))
const largest = fc.integer({ min: 200, max: 400_000 })

test('the factor reaches the target fidelity or else the size limit', () => {
  fc.assert(
    fc.property(encoder, factors, largest, ({ perStep, stepsToDouble, ...coded }, [first, apart], limit) => {
      const at = (crf: number): Trial => ({
        crf,
        decibels: coded.decibels - (crf - 20) * perStep,
        bytes: coded.bytes * 2 ** ((20 - crf) / stepsToDouble),
      })
      const chosen = chooseRateFactor([at(first), at(first + apart)], limit)
      const { decibels, bytes } = at(chosen)
      // Both in steps of the factor, which is rounded to 0.1.
      const nearer = (than: number) => (decibels - than) / perStep
      const larger = stepsToDouble * Math.log2(bytes / limit)
      const is = (steps: number) => Math.abs(steps) <= 0.06
      const isWanted = is(nearer(45.8)) && larger < 0.06
      const isFull = is(larger) && nearer(45.8) < 0.06
      if (chosen === 6) expect(nearer(45.8) < 0.06 && larger < 0.06).toBe(true)
      else if (chosen === 23) expect(nearer(45.8) > -0.06 || larger > -0.06).toBe(true)
      else expect([isWanted, isFull]).toContain(true)
    }),
    { numRuns: 500 },
  )
})

test('with one trial, or contradictory trials, the typical slope is used', () => {
  const one = { crf: 21, decibels: 44.6, bytes: 1000 }
  expect(chooseRateFactor([one], 1e6)).toBe(19)
  expect(chooseRateFactor([one, { ...one, crf: 19 }], 1e6)).toBe(19)
  expect(predictDecibels([one, { ...one, crf: 6 }], 20)).toBeCloseTo(45.2)
})
