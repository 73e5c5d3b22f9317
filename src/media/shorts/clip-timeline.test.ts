import fc from 'fast-check'
import { expect, it } from 'vitest'
import { frameTime } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { ClipFraming } from '../timeline/framing.ts'
import { clipTimeline } from './clip-timeline.ts'

const framing: ClipFraming = { mode: 'fit', blurSigma: 40 }
const size = { width: 1080, height: 1920 }

/** Ranges with gaps, and the same frames divided further. */
const clips = fc.array(
  fc.record({
    gap: fc.integer({ min: 1, max: 50 }),
    parts: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
  }),
  {
    minLength: 1,
    maxLength: 12,
  },
)

it('a clip is as long as its frames at its speed, and its pictures and sounds follow each other', () => {
  const rates = fc.constantFrom({ num: 25, den: 1 }, { num: 30_000, den: 1001 }, { num: 60, den: 1 })
  fc.assert(
    fc.property(clips, rates, fc.double({ min: 0.5, max: 2, noNaN: true }), (list, rate, speed) => {
      const ranges: FrameSpan[] = []
      const framed: (FrameSpan & { framing: ClipFraming })[] = []
      let next = 0
      for (const { gap, parts } of list) {
        const first = next + gap
        next = first
        for (const part of parts) {
          framed.push({ first: next, end: next + part, framing })
          next += part
        }
        ranges.push({ first, end: next })
      }
      const timeline = clipTimeline({ material: 'a', rate, size, speed, hasSound: true, ranges, framed })
      const total = ranges.reduce((sum, { first, end }) => sum + end - first, 0)
      expect(Math.abs(timeline.frames - total / speed)).toBeLessThanOrEqual(0.5)
      const [sound = []] = timeline.sound
      expect([timeline.picture.length, sound.length]).toEqual([framed.length, ranges.length])
      for (const track of [timeline.picture, sound]) {
        expect(track[0]?.track.from).toBe(0)
        expect(track.at(-1)?.track.to).toBeCloseTo(frameTime(total, rate) / speed, 6)
        for (const [index, clip] of track.entries()) {
          const length = clip.source.to - clip.source.from
          expect(clip.track.to - clip.track.from).toBeCloseTo(length / speed, 6)
          if (index > 0) expect(clip.track.from).toBe(track[index - 1]?.track.to)
          expect(clip).toMatchObject({ speed, keepPitch: true, material: 'a' })
        }
      }
      expect(timeline.picture.every((clip) => clip.framing === framing && clip.volume === 0)).toBe(true)
    }),
  )
})

it('a clip of a silent video has no sound', () => {
  const ranges = [{ first: 10, end: 40 }]
  const framed = [{ first: 10, end: 40, framing }]
  const options = { material: 'a', rate: { num: 30, den: 1 }, size, speed: 1, ranges, framed }
  expect(clipTimeline({ ...options, hasSound: false })).toMatchObject({ frames: 30, seconds: 1, sound: [] })
})
