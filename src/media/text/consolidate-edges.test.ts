import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Bounds } from '../geometry.ts'
import { boxArea, intersectBoxes, translateBox } from './box.ts'
import { joinEdgeFragments } from './consolidate.ts'
import type { FoundText } from './found-text.ts'

/** A text detected in a single sample. */
function standing(box: Bounds, firstSample: number) {
  return { boxAt: () => box, moving: false, first: firstSample, last: firstSample + 9, firstSample }
}

describe('a text that crosses the edge of the picture', () => {
  it('is extended to its first visible frame, and its fragments are removed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 30, max: 60 }), (speed, whole) => {
        // Enters at the right on frame 10.
        const boxAt = (frame: number) => {
          const left = 640 - speed * (frame - 9.5)
          return { left, top: 300, right: left + 400, bottom: 320 }
        }
        const about = { score: 0.9, detectionCount: 1, edgeDensity: 4 }
        const known = {
          ...about,
          boxAt,
          moving: true,
          first: whole,
          last: 90,
          firstSample: whole,
          detectionCount: 4,
        }
        const pieces = [15, 30]
          .filter((firstSample) => firstSample < whole)
          .map((firstSample) => {
            const box = { ...boxAt(firstSample), right: 640 }
            return { ...about, ...standing(box, firstSample) }
          })
        const sampling = { width: 640, height: 360, step: 15, frames: 200 }
        expect(joinEdgeFragments([...pieces, known], sampling)).toMatchObject([{ first: 10, moving: true }])
      }),
    )
  })

  it.each([
    [600, 10, 1199],
    [400, 6, 1299],
  ])('is followed until it has left, %i px wide and at %i px a sample', (width, pace, last) => {
    const left = (frame: number) => ((300 - frame) * pace) / 15
    const boxAt = (frame: number) => ({
      left: left(frame),
      top: 300,
      right: left(frame) + width,
      bottom: 320,
    })
    const about = { score: 0.9, edgeDensity: 4 }
    const whole = {
      ...about,
      boxAt,
      moving: true,
      first: 150,
      last: 300,
      firstSample: 150,
      detectionCount: 11,
    }
    const sampling = { width: 960, height: 540, step: 15, frames: 2000 }
    const pieces = Array.from({ length: 100 }, (_, index) => 315 + 15 * index)
      .filter((firstSample) => boxAt(firstSample).right > 0)
      .map((firstSample) => ({
        ...{
          ...about,
          moving: false,
          first: firstSample,
          last: firstSample + 9,
          firstSample,
          detectionCount: 1,
        },
        boxAt: () => ({ ...boxAt(firstSample), left: 0 }),
      }))
    const [joined, ...others] = joinEdgeFragments([whole, ...pieces], sampling)
    expect(joined).toMatchObject({ first: 150, last })
    // More than 95 % of it is still visible.
    expect(others.map(({ firstSample }) => firstSample)).toEqual([315, 330, 345])
  })

  /** Moves at constant speed, 20 px high, with fragments some samples before and after. */
  const crossing = fc
    .record({
      width: fc.constantFrom(120, 560),
      at: fc.record({ x: fc.integer({ min: -110, max: 630 }), y: fc.integer({ min: -10, max: 350 }) }),
      // Slow too: halves add up exactly.
      step: fc.record({ x: fc.integer({ min: -18, max: 18 }), y: fc.integer({ min: -6, max: 6 }) }),
      first: fc.integer({ min: 0, max: 580 }),
      detectionCount: fc.integer({ min: 1, max: 4 }),
      near: fc.array(
        fc.record({ samples: fc.integer({ min: -7, max: 7 }), aside: fc.integer({ min: -60, max: 60 }) }),
      ),
    })
    .map(({ width, at, step, first, detectionCount, near }): FoundText[] => {
      const about = { score: 0.9, edgeDensity: 4, detectionCount: 1 }
      const boxAt = (frame: number) =>
        translateBox(
          { left: 0, top: 0, right: width, bottom: 20 },
          at.x + (step.x / 2) * (frame - first),
          at.y + (step.y / 2) * (frame - first),
        )
      const whole = {
        ...about,
        boxAt,
        moving: true,
        first,
        last: first + 10,
        firstSample: 15 * Math.floor(first / 15),
        detectionCount,
      }
      const pieces = near.map(({ samples, aside }) => {
        const firstSample = Math.max(0, 15 * (Math.floor(first / 15) + samples))
        const place = boxAt(firstSample)
        const box = { ...place, left: Math.max(0, place.left + aside), right: Math.min(640, place.right) }
        return { ...about, ...standing(box, firstSample) }
      })
      return [
        whole,
        ...pieces.filter(({ firstSample, boxAt: place }) => firstSample < 600 && boxArea(place()) > 0),
      ]
    })

  it('has the same fragments as a comparison of all pairs of texts', () => {
    const sampling = { width: 640, height: 360, step: 15, frames: 600 }
    const whole = { left: 0, top: 0, right: 640, bottom: 360 }
    const shareAt = (text: FoundText, frame: number) =>
      boxArea(intersectBoxes(text.boxAt(frame), whole)) / boxArea(text.boxAt(frame))
    const isAtEdge = (piece: FoundText, text: FoundText) => {
      if (piece === text || piece.detectionCount > 2) return false
      if (piece.firstSample >= text.first && piece.firstSample <= text.last) return false
      const [there, box] = [
        intersectBoxes(text.boxAt(piece.firstSample), whole),
        piece.boxAt(piece.firstSample),
      ]
      return (
        shareAt(text, piece.firstSample) < 0.95 && boxArea(intersectBoxes(there, box)) >= 0.6 * boxArea(box)
      )
    }
    /** No three consecutive samples before a fragment are without one, except while the text begins to leave. */
    const isPiece = (piece: FoundText, text: FoundText, texts: readonly FoundText[]) => {
      if (!isAtEdge(piece, text)) return false
      const shown = new Set(texts.filter((one) => isAtEdge(one, text)).map(({ firstSample }) => firstSample))
      const way = Array.from({ length: 40 }, (_, index) => 15 * index).filter((sample) =>
        piece.firstSample < text.first
          ? piece.firstSample < sample && sample < text.first
          : text.last < sample && sample < piece.firstSample,
      )
      const outward = piece.firstSample < text.first ? -15 : 15
      for (const sample of way) {
        const share = shareAt(text, sample)
        if (share >= 0.95 && share < shareAt(text, sample - outward)) shown.add(sample)
      }
      const runs = way.slice(2).map((_, index) => way.slice(index, index + 3))
      return runs.every((run) => run.some((sample) => shown.has(sample)))
    }
    fc.assert(
      fc.property(fc.array(crossing, { maxLength: 8 }), (groups) => {
        const texts = groups.flat()
        const moving = texts.filter((text) => text.moving)
        const left = joinEdgeFragments(texts, sampling)
        const alone = texts.filter(
          (text) => text.moving || !moving.some((other) => isPiece(text, other, texts)),
        )
        expect(new Set(left.map(({ boxAt }) => boxAt))).toEqual(new Set(alone.map(({ boxAt }) => boxAt)))
        for (const text of moving) {
          const mine = texts.filter((other) => isPiece(other, text, texts))
          const samples = mine.map(({ firstSample }) => firstSample)
          const joined = left.find(({ boxAt }) => boxAt === text.boxAt)
          expect(joined?.first ?? 0).toBeLessThanOrEqual(Math.min(...samples, text.first))
          expect(joined?.last ?? Infinity).toBeGreaterThanOrEqual(Math.max(...samples, text.last))
        }
      }),
    )
  })

  it.each([
    ['rests at the edge', (frame: number) => Math.max(532, 640 - 8 * frame), 540],
    ['drifts on unseen', (frame: number) => 400 + frame / 500, 550],
  ])('that %s is not there again much later, where a brief text is', (_, leftAt, left) => {
    const about = { score: 0.9, edgeDensity: 4 }
    const boxAt = (frame: number) => ({
      left: leftAt(frame),
      top: 300,
      right: leftAt(frame) + 120,
      bottom: 320,
    })
    const whole = { ...about, boxAt, moving: true, first: 30, last: 90, firstSample: 30, detectionCount: 5 }
    const brief = {
      ...{ ...about, moving: false, first: 75_000, last: 75_030, firstSample: 75_000, detectionCount: 2 },
      boxAt: () => ({ left, top: 300, right: 640, bottom: 320 }),
    }
    const joined = joinEdgeFragments([whole, brief], { width: 640, height: 360, step: 15, frames: 90_000 })
    expect(joined.map(({ firstSample, last }) => ({ firstSample, isLong: last > 1000 }))).toEqual([
      { firstSample: 30, isLong: false },
      { firstSample: 75_000, isLong: true },
    ])
  })

  it.each([
    ['crosses', (since: number) => 640 - 8 * since, 2],
    ['rests cut', () => -60, 5],
    ['goes slowly', (since: number) => 600 - since / 50, 5],
    ['goes slowly, whole', (since: number) => 400 - since / 50, 5],
  ])('costs little among many others, where each %s', (_, leftAt, seen) => {
    const texts = Array.from({ length: 20_000 }, (_text, index): FoundText => {
      const first = 5 * index
      const boxAt = (frame: number) => {
        const left = leftAt(frame - first)
        return { left, top: 300, right: left + 120, bottom: 320 }
      }
      const firstSample = 15 * Math.ceil(first / 15)
      return {
        boxAt,
        moving: true,
        first,
        last: first + 90,
        score: 0.9,
        detectionCount: seen,
        firstSample: firstSample,
        edgeDensity: 4,
      }
    })
    const sampling = { width: 640, height: 360, step: 15, frames: 100_200 }
    let asked = 0
    const counted = texts.map((text): FoundText => {
      const boxAt = (frame: number) => {
        asked += 1
        return text.boxAt(frame)
      }
      return { ...text, boxAt }
    })
    joinEdgeFragments(counted, sampling)
    expect(asked).toBeLessThan(20 * texts.length)
  })
})
