import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRectInside, type Rect } from '../geometry.ts'
import type { ClipFraming } from '../timeline/framing.ts'
import { addCameraMoves, type CameraMoveOptions } from './camera-moves.ts'
import type { FramedRange } from './framed-range.ts'

const source = { x: 0, y: 0, width: 1920, height: 1080 }
const usual: CameraMoveOptions = {
  ...{ enable: true, probability: 0.35, amplitude: 0.08, maxRatio: 0.5 },
  ...{ seed: 'af1349b9f5f9a1a6', fps: 30 },
}

const even = (min: number, max: number) => fc.integer({ min: min / 2, max: max / 2 }).map((half) => 2 * half)
/** A crop with even sides inside of the picture. */
const crops = fc
  .record({ width: even(16, 1920), height: even(16, 1080), x: even(0, 1920), y: even(0, 1080) })
  .map(({ width, height, x, y }): Rect => ({
    ...{ width, height },
    x: Math.min(x, source.width - width),
    y: Math.min(y, source.height - height),
  }))
const framings: fc.Arbitrary<ClipFraming> = fc.oneof(
  { weight: 4, arbitrary: crops.map((crop): ClipFraming => ({ mode: 'crop', crop })) },
  fc.record({ mode: fc.constant('fit'), blurSigma: fc.nat(100) } as const),
  crops.map((crop): ClipFraming => ({ mode: 'split', slots: [{ crop, slot: crop }] })),
  fc.tuple(crops, crops).map(([crop, moveTo]): ClipFraming => ({ mode: 'crop', crop, moveTo })),
)
const segmentLists = fc
  .array(fc.record({ length: fc.integer({ min: 1, max: 900 }), gap: fc.nat(300), framing: framings }), {
    maxLength: 40,
  })
  .map((list) => {
    let next = 0
    return list.map(({ length, gap, framing }): FramedRange => {
      const first = next + gap
      next = first + length
      return { first, end: next, framing }
    })
  })
const optionSets = fc.record({
  enable: fc.constant(true),
  probability: fc.double({ min: 0, max: 1, noNaN: true }),
  amplitude: fc.double({ min: 0, max: 0.5, noNaN: true }),
  maxRatio: fc.double({ min: 0, max: 1, noNaN: true }),
  seed: fc.string(),
  fps: fc.constantFrom(24, 29.97, 60),
})

/** The segments that moved, before and after. */
function movesOf(segments: readonly FramedRange[], options: CameraMoveOptions) {
  return addCameraMoves(segments, options).flatMap((after, index) => {
    const before = segments[index]
    return before && after !== before ? [{ before, after }] : []
  })
}

describe('camera moves', () => {
  it('stay inside of the crop that they replace, with even sides and its shape', () => {
    fc.assert(
      fc.property(segmentLists, optionSets, (segments, options) => {
        for (const { before, after } of movesOf(segments, options)) {
          if (before.framing.mode !== 'crop' || after.framing.mode !== 'crop') throw new Error('not a crop')
          const { crop } = before.framing
          for (const rect of [after.framing.crop, after.framing.moveTo ?? crop]) {
            expect(isRectInside(rect, crop)).toBe(true)
            expect([rect.x, rect.y, rect.width, rect.height].map((value) => value % 2)).toEqual([0, 0, 0, 0])
            // Both sides shrink by the same share, apart from rounding to even pixels.
            const shrunk = { x: 1 - rect.width / crop.width, y: 1 - rect.height / crop.height }
            expect(Math.abs(shrunk.x - shrunk.y)).toBeLessThanOrEqual(1 / crop.width + 1 / crop.height + 1e-9)
            expect(shrunk.x).toBeLessThanOrEqual(options.amplitude + 1 / crop.width + 1e-9)
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it('change only crops that hold still and last, and at most the given share of all segments', () => {
    fc.assert(
      fc.property(segmentLists, optionSets, (segments, options) => {
        const moves = movesOf(segments, options)
        expect(moves.length).toBeLessThanOrEqual(options.maxRatio * segments.length + 1e-6)
        for (const { before, after } of moves) {
          expect(before.framing).toEqual({ mode: 'crop', crop: expect.anything() as unknown })
          expect((before.end - before.first) / options.fps).toBeGreaterThanOrEqual(1.2)
          expect([after.first, after.end]).toEqual([before.first, before.end])
        }
      }),
      { numRuns: 300 },
    )
  })

  it('depend on the file and the segment only: attempts agree, also without the segments around', () => {
    fc.assert(
      fc.property(segmentLists, optionSets, (segments, given) => {
        const options = { ...given, maxRatio: 1 }
        const whole = addCameraMoves(segments, options)
        expect(addCameraMoves(segments, options)).toEqual(whole)
        expect(segments.flatMap((segment) => addCameraMoves([segment], options))).toEqual(whole)
      }),
    )
  })

  it('are none if disabled, without amplitude or without probability', () => {
    fc.assert(
      fc.property(segmentLists, optionSets, (segments, options) => {
        for (const none of [{ enable: false }, { amplitude: 0 }, { probability: 0 }, { maxRatio: 0 }])
          expect(addCameraMoves(segments, { ...options, ...none })).toEqual(segments)
      }),
    )
  })

  it('are drawn with their probability and in all kinds', () => {
    const crop = { x: 600, y: 0, width: 608, height: 1080 }
    const segments = Array.from({ length: 4000 }, (_, index): FramedRange => ({
      ...{ first: 200 * index, end: 200 * index + 150 },
      framing: { mode: 'crop', crop },
    }))
    const moves = movesOf(segments, usual).map(({ after }) => after.framing)
    expect(moves.length / segments.length).toBeGreaterThan(0.32)
    expect(moves.length / segments.length).toBeLessThan(0.38)
    const width = (framing: ClipFraming, at: 'crop' | 'moveTo') =>
      framing.mode === 'crop' ? (framing[at]?.width ?? 0) : 0
    const changes = moves.map((framing) => Math.sign(width(framing, 'moveTo') - width(framing, 'crop')))
    for (const kind of [-1, 0, 1])
      expect(changes.filter((change) => change === kind).length / moves.length).toBeGreaterThan(0.2)
    // Of those that are drawn, the cap keeps the same ones in each attempt.
    const capped = movesOf(segments, { ...usual, maxRatio: 0.1 }).map(({ before }) => before.first)
    expect(capped).toHaveLength(400)
    const all = new Set(movesOf(segments, usual).map(({ before }) => before.first))
    expect(capped.every((first) => all.has(first))).toBe(true)
    expect(movesOf(segments, { ...usual, seed: 'another file' })).not.toEqual(movesOf(segments, usual))
  })

  it('are slow: a short segment changes less than the amplitude', () => {
    const segment: FramedRange = { first: 0, end: 60, framing: { mode: 'crop', crop: source } }
    const options = { ...usual, probability: 1, maxRatio: 1, amplitude: 0.5 }
    const seeds = Array.from({ length: 50 }, (_, index) => `file ${index}`)
    for (const seed of seeds) {
      for (const { framing } of addCameraMoves([segment], { ...options, seed })) {
        if (framing.mode !== 'crop') throw new Error('not a crop')
        const widths = [framing.crop, framing.moveTo ?? framing.crop].map(({ width }) => width)
        expect(Math.min(...widths) / source.width).toBeGreaterThan(0.83)
      }
    }
  })
})
