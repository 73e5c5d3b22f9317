import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeLevel } from './reference-audio.ts'

const rate = 16_000

function tone(amplitude: number): Float32Array {
  return Float32Array.from({ length: rate }, (_, at) => (at < rate / 2 ? 0 : amplitude * Math.sin(at / 7)))
}

test('normalises non-silent speech to -20 dBFS from any level', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), (amplitude) => {
      const { samples, gain } = normalizeLevel(tone(amplitude), rate)
      const spoken = samples.subarray(rate / 2)
      const power = spoken.reduce((sum, sample) => sum + sample * sample, 0) / spoken.length
      expect(10 * Math.log10(power)).toBeCloseTo(-20, 1)
      expect(gain).toBeCloseTo(-20 - 10 * Math.log10(amplitude ** 2 / 2), 0)
    }),
  )
})

test('limits peaks to -1 dBFS and keeps silence', () => {
  const clicks = tone(0.002).map((sample, at) => (at % 4000 === 3999 ? 0.5 : sample))
  const { samples } = normalizeLevel(clicks, rate)
  expect(Math.max(...samples)).toBeLessThanOrEqual(10 ** (-1 / 20) + 1e-6)
  expect(normalizeLevel(new Float32Array(rate), rate)).toEqual({ samples: new Float32Array(rate), gain: 0 })
})
