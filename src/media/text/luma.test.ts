import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLumaRing } from './luma.ts'

it('stores the latest frames, each representing those after it', () => {
  const sizes = { capacity: fc.integer({ min: 1, max: 9 }), every: fc.integer({ min: 1, max: 4 }) }
  fc.assert(
    fc.property(fc.record(sizes), fc.nat(60), ({ capacity, every }, count) => {
      const ring = createLumaRing({ width: 1, height: 1 }, { capacity, interval: every })
      for (let frame = 0; frame < count; frame += 1) ring.add(Uint8Array.of(frame))
      expect([ring.end, ring.end - ring.first <= capacity * every]).toEqual([count, true])
      if (count >= capacity * every) expect(count - ring.first).toBeGreaterThan((capacity - 1) * every)
      for (let frame = -1; frame <= count; frame += 1) {
        const isKept = frame >= ring.first && frame < count
        expect(ring.at(frame)?.values[0]).toBe(isKept ? every * Math.floor(frame / every) : undefined)
      }
    }),
  )
})
