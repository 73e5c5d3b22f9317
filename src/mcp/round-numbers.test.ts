import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { roundNumbers } from './round-numbers.ts'

test.each([
  [29.970029970029973, 29.97],
  [40.0004, 40],
  [-14.123456, -14.123],
  [0.123456789, 0.1235],
  [0.00001234567, 0.00001235],
  [2_432_880, 2_432_880],
  [1947527768341.25, 1947527768341.25],
])('%d becomes %d', (value, rounded) => {
  expect(roundNumbers({ list: [{ value }], id: '0.123456789' })).toEqual({
    list: [{ value: rounded }],
    id: '0.123456789',
  })
})

test('numbers change by at most half a unit of the last digit, and structure stays', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
      expect(Math.abs(roundNumbers(value) - value)).toBeLessThanOrEqual(
        Math.abs(value) < 1 ? Math.abs(value) * 5.01e-4 : 5.01e-4,
      )
    }),
  )
  expect(roundNumbers([null, undefined, true, 'a'])).toEqual([null, undefined, true, 'a'])
})
