import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinContinuousClips } from './audio-tracks.ts'
import type { TimelineClip } from './timeline.ts'

const halfSecond: TimelineClip = {
  ...{ requestPath: 'a', material: 'song', speed: 2, keepPitch: false, volume: 1 },
  ...{ source: { from: 10, to: 11 }, track: { from: 3, to: 3.5 } },
}

test('a clip that is split anywhere is joined again, also if its times are rounded to ms', () => {
  const times = fc.array(fc.integer({ min: 1, max: 999_999 }), { maxLength: 20 })
  fc.assert(
    fc.property(times, (splits) => {
      const edges = [0, ...splits.toSorted((a, b) => a - b), 1_000_000].map((edge) => edge / 1e6)
      const parts = edges.slice(1).map((edge, index): TimelineClip => {
        const [from, to] = [edges[index] ?? 0, edge].map((one) => 0.5 * one) as [number, number]
        return {
          ...halfSecond,
          source: { from: Math.round(1000 * (10 + 2 * from)) / 1000, to: 10 + 2 * to },
          track: { from: 3 + from, to: 3 + to },
        }
      })
      expect(joinContinuousClips(parts)).toEqual([halfSecond])
    }),
  )
})

test.each<[string, Partial<TimelineClip>]>([
  ['another source', { material: 'voice' }],
  ['another speed', { speed: 1 }],
  ['another volume', { volume: 0.5 }],
  ['kept pitch', { keepPitch: true }],
  ['a jump in the source', { source: { from: 11.002, to: 12 } }],
  ['a gap', { track: { from: 3.502, to: 4 } }],
])('a clip is not joined to %s', (_, more) => {
  const next = { ...halfSecond, source: { from: 11, to: 12 }, track: { from: 3.5, to: 4 } }
  expect(joinContinuousClips([halfSecond, next])).toHaveLength(1)
  expect(joinContinuousClips([halfSecond, { ...next, ...more }])).toHaveLength(2)
})
