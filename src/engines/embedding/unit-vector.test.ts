import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unitVector, vectorLength } from './unit-vector.ts'

function lengthOf(vector: Float32Array): number {
  return Math.hypot(...vector)
}

test('every finite vector but zero gets 1024 numbers and length 1, in its direction', () => {
  const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(values, (vector) => {
      const unit = unitVector(vector)
      if (vector.every((value) => value === 0)) {
        expect(unit).toBeUndefined()
        return
      }
      expect(unit).toHaveLength(vectorLength)
      if (!unit) return
      expect(Math.abs(lengthOf(unit) - 1)).toBeLessThan(1e-6)
      for (const [at, value] of vector.entries())
        expect(Math.sign(unit[at] ?? 0) * value).toBeGreaterThanOrEqual(0)
      expect([...unit.subarray(vector.length)].every((value) => value === 0)).toBe(true)
    }),
  )
})

test('a longer vector is truncated, then scaled', () => {
  const long = Float32Array.from({ length: 2000 }, (_, at) => (at < vectorLength ? at % 7 : 1e6))
  expect(unitVector(long)).toEqual(unitVector(long.subarray(0, vectorLength)))
})

test('numbers that are not finite, and zeros alone, have no direction', () => {
  expect(unitVector([1, Number.NaN])).toBeUndefined()
  expect(unitVector([1, Infinity])).toBeUndefined()
  expect(unitVector(new Float32Array(2000).fill(1, vectorLength))).toBeUndefined()
  expect(unitVector([])).toBeUndefined()
})
