import fc from 'fast-check'
import { expect, test } from 'vitest'
import { levelMeter } from './draw-waveform.ts'

function bytesOf(samples: readonly number[]): Buffer {
  const bytes = Buffer.alloc(samples.length * 2)
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, index * 2)
  return bytes
}

test('levels do not depend on the sizes of chunks', () => {
  const samples = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(samples, fc.array(fc.integer({ min: 1, max: 9 })), (given, sizes) => {
      const whole = levelMeter(4, given.length)
      whole.add(bytesOf(given))
      const pieces = levelMeter(4, given.length)
      let rest = bytesOf(given)
      for (const size of sizes) {
        pieces.add(rest.subarray(0, size))
        rest = rest.subarray(size)
      }
      pieces.add(rest)
      expect(pieces.levels()).toEqual(whole.levels())
      for (const { peak, mean } of whole.levels()) expect(mean <= peak && peak <= 1).toBe(true)
    }),
  )
})

test('each interval has its own peak and mean; sound after the declared end counts towards the last', () => {
  const meter = levelMeter(2, 4)
  meter.add(bytesOf([0, 16_384, -8192, 8192, -32_768]))
  expect(meter.levels()).toEqual([
    { peak: 0.5, mean: Math.sqrt(0.125) },
    { peak: 1, mean: Math.sqrt((0.0625 + 0.0625 + 1) / 3) },
  ])
})

test('silence has level 0', () => {
  expect(levelMeter(3, 0).levels()).toEqual(Array.from({ length: 3 }, () => ({ peak: 0, mean: 0 })))
})
