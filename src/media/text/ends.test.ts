import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findBeginning, findEnding } from './ends.ts'
import { createLumaRing } from './luma-ring.ts'
import type { TextTrack } from './track.ts'
import { createTextTracker } from './tracker.ts'

const size = { width: 96, height: 40 }
const box = { left: 20, top: 12, right: 76, bottom: 26, score: 0.9 }

/** A picture with a line of letters, or without. */
function page(isThere: boolean): Uint8Array {
  return Uint8Array.from({ length: size.width * size.height }, (_, at) => {
    const [x, y] = [at % size.width, Math.floor(at / size.width)]
    const isIn = x >= box.left && x < box.right && y >= box.top && y < box.bottom
    return isThere && isIn && (x - box.left) % 7 < 4 && (y + x) % 5 > 0 ? 220 : 60
  })
}

it('no frame that shows a text is left out, nor more taken than are not kept', () => {
  const times = fc.record({
    every: fc.integer({ min: 1, max: 3 }),
    first: fc.integer({ min: 20, max: 30 }),
    last: fc.integer({ min: 80, max: 90 }),
  })
  fc.assert(
    fc.property(times, ({ every, first, last }) => {
      const ring = createLumaRing(size, { capacity: 120, interval: every })
      const tracker = createTextTracker()
      const ended: TextTrack[] = []
      for (let frame = 0; frame < 120; frame += 1) {
        const isThere = frame >= first && frame <= last
        ring.add(page(isThere))
        const luma = ring.at(frame)
        if (frame % 12 === 0 && luma)
          ended.push(...tracker.addSample({ frame, luma, boxes: isThere ? [{ ...box }] : [] }))
      }
      const [track] = [...ended, ...tracker.live]
      if (!track) throw new TypeError('it is followed')
      const [begun, gone] = [findBeginning(track, ring, 36).frame, findEnding(track, ring, 36).frame]
      expect(
        [first - begun, gone - last].every((off) => off >= 0 && off < every),
        `${begun} ${gone}`,
      ).toBe(true)
    }),
    { numRuns: 15 },
  )
})
