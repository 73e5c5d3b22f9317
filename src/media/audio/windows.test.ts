import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fixedWindows, paddedWindows } from './windows.ts'

async function* pieces(sizes: readonly number[]): AsyncGenerator<Float32Array> {
  let at = 0
  for (const size of sizes) {
    yield Float32Array.from({ length: size }, (_, index) => at + index + 1)
    at += size
  }
}

it('each sample is in the middle of exactly one window, with silence around the sound', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 9 }),
      async (sizes, step, before) => {
        const [all, length] = [sizes.reduce((sum, size) => sum + size, 0), step + 2 * before]
        const heard: number[] = []
        let last = false
        for await (const { from, samples, isLast } of paddedWindows(pieces(sizes), {
          length,
          step,
          before,
        })) {
          expect(last).toBe(false)
          last = isLast
          const expected = samples.map((_, index) => {
            const at = from + index
            return at >= 0 && at < all ? at + 1 : 0
          })
          expect(samples).toEqual(expected)
          heard.push(...samples.subarray(before, before + step))
        }
        expect(last).toBe(true)
        expect(heard.filter((sample) => sample > 0)).toEqual(Array.from({ length: all }, (_, at) => at + 1))
      },
    ),
    { seed: 1 },
  )
})

it('fixed windows are `step` samples apart, contain each sample, and pad only the last one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 9 }),
      async (sizes, step, overlap) => {
        const all = sizes.reduce((sum, size) => sum + size, 0)
        const size = step + overlap
        let from = 0
        for await (const window of fixedWindows(pieces(sizes), { size, step })) {
          // Each window has samples that no earlier one had.
          expect(from === 0 ? all > 0 : from + overlap < all).toBe(true)
          const expected = Array.from({ length: size }, (_, at) => (from + at < all ? from + at + 1 : 0))
          expect([...window]).toEqual(expected)
          from += step
        }
        expect(from + overlap).toBeGreaterThanOrEqual(all)
      },
    ),
    { seed: 1 },
  )
})
