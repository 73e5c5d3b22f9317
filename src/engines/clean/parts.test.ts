import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkPartsComplete, splitIntoParts } from './parts.ts'

it('parts contain every frame once, in order, and enough frames for the encoder', () => {
  const count = fc.integer({ min: 1, max: 20_000 })
  const rates = fc.constantFrom(0.1, 1, 23.976, 30, 120)
  fc.assert(
    fc.property(fc.nat(1000), count, rates, fc.boolean(), (first, frames, fps, areIndependent) => {
      const parts = splitIntoParts({ first, count: frames }, fps, areIndependent)
      let next = first
      for (const part of parts) {
        expect(part.first).toBe(next)
        expect(part.count).toBeGreaterThanOrEqual(Math.min(5, frames))
        next += part.count
      }
      expect(next).toBe(first + frames)
    }),
  )
})

it('concurrent parts are of equal length', () => {
  const count = fc.integer({ min: 8 * 60, max: 20_000 })
  fc.assert(
    fc.property(count, fc.constantFrom(1, 23.976, 30, 60), (frames, fps) => {
      const lengths = splitIntoParts({ first: 0, count: frames }, fps, true).map((part) => part.count)
      expect(lengths.length % 2).toBe(0)
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
    }),
  )
  expect(splitIntoParts({ first: 0, count: 7 * 30 }, 30, true)).toHaveLength(1)
})

it('up to one second may be missing at the end, but not more, not in the middle, and not everything', () => {
  const held = (...parts: readonly (readonly [number, number])[]) => {
    let next = 10
    const reported = parts.map(([frames, count]) => ({ first: (next += count) - count, frames, count }))
    return () => checkPartsComplete('film.mp4', reported, { rate: 25, start: 10 })
  }
  expect(held([500, 500], [75, 100])).not.toThrow()
  expect(held([500, 500], [0, 20])).not.toThrow()
  expect(held([500, 500], [74, 100])).toThrow('film.mp4: no frames can be decoded from 23.0 s on')
  expect(held([499, 500], [100, 100])).toThrow('from 20.0 s on')
  expect(held([0, 20])).toThrow('from 0.0 s on')
})
