import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPatchLookup } from '../masks.ts'
import type { Region } from '../region.ts'
import { KeptAreas } from './kept-areas.ts'

const film = { width: 640, height: 360, fps: 5 }
const marked = (remove: readonly Region[]) =>
  createPatchLookup({ remove, protect: [] }, { size: film, rate: { num: film.fps, den: 1 } })

const regions = fc.array(
  fc
    .record({
      x: fc.nat(90),
      y: fc.nat(90),
      w: fc.integer({ min: 1, max: 10 }),
      at: fc.nat(400),
      lasts: fc.nat(60),
    })
    .map(({ x, y, w, at, lasts }) => {
      const [start, end] = [at / film.fps, (at + lasts + 1) / film.fps]
      return { ...{ x: x / 100, y: y / 100, w: w / 100, h: 0.05 }, start, end }
    }),
  { maxLength: 8 },
)

it('kept areas do not depend on earlier queries, and patches of a frame are requested once', () => {
  fc.assert(
    fc.property(regions, fc.nat(400), (remove, frame) => {
      const asked: number[] = []
      const patchesAt = marked(remove)
      const areas = new KeptAreas((one) => {
        asked.push(one)
        return patchesAt(one)
      }, film)
      for (let before = 0; before < frame; before += 1) areas.at(before)
      expect(areas.at(frame)).toEqual(new KeptAreas(patchesAt, film).at(frame))
      expect(new Set(asked).size).toBe(asked.length)
    }),
    { numRuns: 40 },
  )
})
