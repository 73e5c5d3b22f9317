import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resample } from './resample.ts'

function sine(hertz: number, rate: number, seconds = 1): Float32Array {
  return Float32Array.from({ length: seconds * rate }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate))
}

function largestDifference(one: Float32Array, other: Float32Array): number {
  return one.reduce((largest, value, at) => Math.max(largest, Math.abs(value - (other[at] ?? 0))), 0)
}

describe('resample', () => {
  test.each([
    [32_000, 16_000],
    [24_000, 16_000],
    [22_050, 16_000],
    [15_520, 16_000],
    [16_000, 44_100],
  ])('keeps a tone when it converts %i Hz to %i Hz', (rate, targetRate) => {
    const inside = (sound: Float32Array) => sound.subarray(100, -100)
    const resampled = resample({ samples: sine(3000, rate), rate }, targetRate)
    expect(resampled).toHaveLength(targetRate)
    expect(largestDifference(inside(resampled), inside(sine(3000, targetRate)))).toBeLessThan(1e-4)
  })

  test('removes what the target rate cannot represent', () => {
    const resampled = resample({ samples: sine(9500, 32_000), rate: 32_000 }, 16_000)
    expect(Math.max(...resampled.subarray(100, -100))).toBeLessThan(1e-4)
  })

  test('returns a copy at the same rate, and nothing for no sound', () => {
    const samples = sine(440, 16_000)
    const copy = resample({ samples, rate: 16_000 }, 16_000)
    expect(copy).toEqual(samples)
    expect(copy).not.toBe(samples)
    expect(resample({ samples: new Float32Array(), rate: 16_000 }, 24_000)).toHaveLength(0)
  })

  const rates = fc.constantFrom(8000, 15_520, 16_000, 24_000, 32_000, 48_000)
  test('keeps a constant up to both ends, and its duration', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), rates, rates, (length, rate, targetRate) => {
        const resampled = resample({ samples: new Float32Array(length).fill(0.5), rate }, targetRate)
        expect(resampled).toHaveLength(Math.ceil((length * targetRate) / rate))
        expect(largestDifference(resampled, new Float32Array(resampled.length).fill(0.5))).toBeLessThan(1e-6)
      }),
    )
  })
})
