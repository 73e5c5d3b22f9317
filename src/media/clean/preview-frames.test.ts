import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxSheetFrames } from '../../contract/regions.ts'
import { maxRegionsPerFrame, selectPreviewFrames } from './preview-frames.ts'

const rate = { num: 25, den: 1 }

test('a region is shown in the middle of its time span, and one frame shows all simultaneous regions', () => {
  const regions = [
    { start: 0, end: 8 },
    { start: 1, end: 3 },
    { start: 5, end: 7 },
  ]
  const shown = selectPreviewFrames(regions, { rate, count: 200 })
  expect(shown).toEqual({
    frames: [
      { frame: 49, drawn: [0, 1], undrawnCount: 0 },
      { frame: 149, drawn: [2, 0], undrawnCount: 0 },
    ],
    notShown: [],
    next: [],
  })
})

test('requested frames show the regions active then, with the same half-open time spans as cleaning', () => {
  const regions = [{ start: 1, end: 2 }, { start: 2, end: 3 }, {}]
  const { frames, notShown, next } = selectPreviewFrames(regions, { rate, count: 200, at: [50, 25] })
  expect(frames.map(({ frame, drawn }) => [frame, drawn])).toEqual([
    [25, [0, 2]],
    [50, [1, 2]],
  ])
  expect([notShown, next]).toEqual([[], []])
  expect(selectPreviewFrames(regions, { rate, count: 200, at: [10] })).toMatchObject({ notShown: [0, 1] })
})

test('more regions than fit on a frame are spread over several frames of the same time', () => {
  const all = Array.from({ length: 2 * maxRegionsPerFrame + 5 }, () => ({ start: 0, end: 1 }))
  const { frames, notShown } = selectPreviewFrames(all, { rate, count: 25 })
  expect(frames.map(({ drawn, undrawnCount }) => drawn.length + undrawnCount)).toEqual([85, 85, 85])
  expect(new Set(frames.flatMap(({ drawn }) => drawn)).size).toBe(85)
  expect(notShown).toEqual([])
})

test('without regions there is still one frame; regions after the end are never shown', () => {
  expect(selectPreviewFrames([], { rate, count: 9 }).frames).toEqual([
    { frame: 4, drawn: [], undrawnCount: 0 },
  ])
  const late = selectPreviewFrames([{ start: 20, end: 21 }], { rate, count: 100 })
  expect([late.frames.flatMap(({ drawn }) => drawn), late.notShown]).toEqual([[], [0]])
})

const region = fc
  .record({ start: fc.integer({ min: 0, max: 90 }), length: fc.integer({ min: 1, max: 30 }) })
  .map(({ start, length }) => ({ start: start / 25, end: (start + length) / 25 }))

test('for every list, drawn regions are active, none is lost, and omitted ones are reported', () => {
  fc.assert(
    fc.property(fc.array(region, { maxLength: 60 }), (regions) => {
      const { frames, notShown, next } = selectPreviewFrames(regions, { rate, count: 100 })
      const drawn = new Set(frames.flatMap((one) => one.drawn))
      for (const { frame, drawn: here } of frames) {
        for (const place of here) {
          const { start = 0, end = 0 } = regions[place] ?? {}
          expect(start * 25 <= frame + 1e-9 && frame < end * 25 - 1e-9).toBe(true)
        }
      }
      expect([...drawn, ...notShown].toSorted((one, other) => one - other)).toEqual([...regions.keys()])
      const canBeShown = notShown.filter((place) => (regions[place]?.start ?? 0) < 4)
      // Regions remain only because of the frame limit, and `next` shows them.
      if (canBeShown.length > 0) expect([frames.length, next.length > 0]).toEqual([maxSheetFrames, true])
    }),
  )
})

test('fifty thousand regions, equal or distinct, are processed quickly', () => {
  const begun = process.cpuUsage()
  for (const of of [
    () => ({ start: 0, end: 7200 }),
    (at: number) => ({ start: at / 7, end: at / 7 + 0.1 }),
  ]) {
    const many = Array.from({ length: 50_000 }, (_, index) => of(index))
    const { notShown } = selectPreviewFrames(many, { rate, count: 7200 * 25 })
    expect(notShown.length).toBeGreaterThan(49_000)
  }
  const { user, system } = process.cpuUsage(begun)
  expect((user + system) / 1e6).toBeLessThan(10)
})
