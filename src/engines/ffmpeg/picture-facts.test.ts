import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displaySize, parseRatio, quarterTurn, sampleRatio } from './picture-facts.ts'

const side = fc.integer({ min: 1, max: 16_384 })
const turn = fc.constantFrom<(0 | 90 | 180 | 270)[]>(0, 90, 180, 270)
const square = { num: 1, den: 1 }

describe('parseRatio', () => {
  test('parses every valid ratio and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.integer({ min: 1, max: 2 ** 31 }), (num, den) => {
        expect(parseRatio(`${num}/${den}`)).toEqual({ num, den })
        expect(parseRatio(`${num}:${den}`)).toEqual({ num, den })
      }),
    )
    for (const text of [
      undefined,
      '',
      'N/A',
      '0/0',
      '0:1',
      '1:0',
      '-1/2',
      '1/2/3',
      '1e3/1',
      '99999999999/1',
    ]) {
      expect(parseRatio(text)).toBeUndefined()
    }
  })
})

describe('quarterTurn', () => {
  test.each([
    [-90, 90],
    [90, 270],
    [180, 180],
    [-180, 180],
    [270, 90],
    [-270, 270],
    [360, 0],
    [-89, 0],
    [-89.5, 90],
    [45, 0],
    [0, 0],
    [-0.4, 0],
  ])('counter-clockwise %d is clockwise %d', (given, clockwise) => {
    expect(quarterTurn(given)).toBe(clockwise)
  })

  test('a matrix without an angle is not a rotation', () => {
    for (const angle of [undefined, NaN, Infinity, -9_223_372_036_854_775_808]) {
      expect(quarterTurn(angle)).toBe(0)
    }
  })

  test('a rotation and its opposite cancel out', () => {
    fc.assert(
      fc.property(turn, (angle) => {
        expect((quarterTurn(angle) + quarterTurn(-angle)) % 360).toBe(0)
      }),
    )
  })
})

describe('displaySize', () => {
  test('a half turn keeps the sides, a quarter turn swaps them', () => {
    fc.assert(
      fc.property(side, side, turn, (width, height, rotation) => {
        const swapped = rotation === 90 || rotation === 270
        expect(displaySize({ width, height, ratio: square, rotation })).toEqual(
          swapped ? { width: height, height: width } : { width, height },
        )
      }),
    )
  })

  test('only the coded width is scaled, before the rotation', () => {
    const anamorphic = { width: 720, height: 576, ratio: { num: 64, den: 45 } }
    expect(displaySize({ ...anamorphic, rotation: 0 })).toEqual({ width: 1024, height: 576 })
    expect(displaySize({ ...anamorphic, rotation: 90 })).toEqual({ width: 576, height: 1024 })
  })

  test('sides are integers of at least 1 for any plausible ratio', () => {
    const number = fc.integer({ min: 0, max: 70_000 })
    fc.assert(
      fc.property(side, side, number, number, (width, height, num, den) => {
        const ratio = sampleRatio(`${num}:${den}`)
        const shown = displaySize({ width, height, ratio, rotation: 0 })
        expect(Number.isInteger(shown.width) && shown.width >= 1).toBe(true)
        expect(Math.abs(shown.width - (width * ratio.num) / ratio.den)).toBeLessThanOrEqual(1)
        expect(ratio.num / ratio.den).toBeGreaterThanOrEqual(0.1)
        expect(ratio.num / ratio.den).toBeLessThanOrEqual(10)
      }),
    )
  })
})
