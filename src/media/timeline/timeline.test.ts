import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { MediaError } from '../../contract/errors.ts'
import {
  divideIntoParts,
  isReadableAfter,
  type PieceGroup,
  groupReads,
  layOutPieces,
  pieceMaterialRange,
  totalUnits,
} from './pieces.ts'
import { type Gtrk, type GtrkClip, readGtrk } from './read-gtrk.ts'
import { packAudioTracks, varispeedRates } from './audio-tracks.ts'
import { clipTolerance, type TimelineClip } from './timeline.ts'

/** Returns a clip on the output with a matching source range. */
function clip(from: number, to: number, more: Partial<GtrkClip & { muted: boolean; volume: number }> = {}) {
  const speed = more.speed ?? 1
  return {
    ...{ clip_id: 'a', material: '1', clip_st: 1, clip_ed: 1 + (to - from) * speed },
    ...{ track_st: from, track_ed: to, duration: to - from, speed, keep_pitch: false, ...more },
  }
}

function gtrk(changes: Partial<Gtrk> = {}): Gtrk {
  return { video_size: [640, 360], video_rate: 25, video_track: [], audio_track: [], ...changes }
}

const track = (...clips: ReturnType<typeof clip>[]) => ({
  track_index: 0,
  muted: false,
  track_timeline: clips,
})
const soundTrack = (...clips: ReturnType<typeof clip>[]) => ({
  track_index: 0,
  volume: 1,
  track_timeline: clips,
})

/** Returns the error with which a timeline is rejected. */
function rejection(invalid: Gtrk): MediaError {
  try {
    readGtrk(invalid)
  } catch (error) {
    if (error instanceof MediaError) return error
    throw error
  }
  throw new Error('the timeline was accepted')
}

describe('an invalid timeline is rejected with 6016, the path of the field and a correction', () => {
  test.each([
    ['overlapping clips', [clip(0, 2), clip(1.9, 3)], '[1].track_st: it starts at 1.9 s', 'must not overlap'],
    ['overlapping clips out of order', [clip(2, 4), clip(0, 2.1)], '[0].track_st', 'must not overlap'],
    ['a clip over a gap', [clip(0, 2, { clip_id: '' }), clip(1, 3)], '[1].track_st', 'must not overlap'],
    ['a wrong out point', [clip(0, 2, { clip_ed: 3.2 })], '[0].clip_ed: 3.2 s', '"clip_ed": 3'],
    [
      'an out point that ignores the speed',
      [clip(0, 2, { speed: 2, clip_ed: 3 })],
      '[0].clip_ed',
      '"clip_ed": 5',
    ],
    ['a wrong duration', [clip(0, 2, { duration: 2.1 })], '[0].duration', '"duration": 2'],
    [
      'a gap with a wrong duration',
      [clip(0, 2, { clip_id: '', duration: 1 })],
      '[0].duration',
      '"duration": 2',
    ],
  ])('%s', (_, clips, text, fix) => {
    for (const [name, invalid] of [
      ['video_track', gtrk({ video_track: [track(...clips)] })],
      ['audio_track', gtrk({ audio_track: [soundTrack(...clips)] })],
    ] as const) {
      const { code, message, hint } = rejection(invalid)
      expect(code).toBe(6016)
      expect(message).toContain(`${name}[0].track_timeline${text}`)
      expect(hint).toContain(fix)
    }
  })

  test('an empty timeline and one of more than six hours', () => {
    expect(rejection(gtrk())).toMatchObject({ code: 6016 })
    expect(rejection(gtrk({ video_track: [track()] })).message).toContain('nothing to render')
    expect(rejection(gtrk({ duration: 21_600.1 })).message).toContain('6.00 hours')
    expect(rejection(gtrk({ audio_track: [soundTrack(clip(21_000, 21_601))] })).message).toContain('hours')
    expect(readGtrk(gtrk({ duration: 21_600 })).frames).toBe(540_000)
    expect(rejection(gtrk({ duration: 1e-7 }))).toMatchObject({ code: 6016 })
    expect(rejection(gtrk({ duration: 0.019 })).message).toContain('contain no frame')
    expect(readGtrk(gtrk({ duration: 0.021 })).frames).toBe(1)
  })
})

describe('a timeline', () => {
  it('accepts errors below one frame, and adjacent clips with rounded times', () => {
    const clips = [
      clip(0, 0.333),
      clip(0.3329, 1, { clip_ed: 1.7 }),
      clip(1, 2, { speed: 10, clip_ed: 11.3 }),
    ]
    expect(readGtrk(gtrk({ video_track: [track(...clips)] })).picture).toHaveLength(3)
  })

  it('lasts until the end of the last rendered track, including gaps, unless a duration is stated', () => {
    const other = { ...track(clip(0, 90)), track_index: 1 }
    const base = track(clip(0, 1), clip(3, 4, { clip_id: '' }))
    expect(readGtrk(gtrk({ video_track: [other, base] })).seconds).toBe(4)
    expect(readGtrk(gtrk({ video_track: [base], audio_track: [soundTrack(clip(0, 7))] })).seconds).toBe(7)
    expect(readGtrk(gtrk({ video_track: [base], duration: 2.5 })).seconds).toBe(2.5)
  })

  it('shows only the lowest track, sorted by time, and does not validate the others', () => {
    const overlapping = { ...track(clip(0, 2), clip(1, 3)), track_index: 2 }
    const base = { ...track(clip(1, 2), clip(0, 1, { material: '2' })), track_index: -1 }
    expect(
      readGtrk(gtrk({ video_track: [overlapping, base] })).picture.map(({ material }) => material),
    ).toEqual(['2', '1'])
  })

  it('may have any number of tracks', () => {
    const many = Array.from({ length: 900_000 }, () => track())
    expect(readGtrk(gtrk({ video_track: many, duration: 1 })).frames).toBe(25)
  })

  it('is muted by the clip if it sets muted, else by its track', () => {
    const clips = [clip(0, 1, { muted: false }), clip(1, 2), clip(2, 3, { muted: true })]
    const audibleStarts = (muted: boolean) =>
      readGtrk(gtrk({ video_track: [{ ...track(...clips), muted }] })).sound.map((clipsOfTrack) =>
        clipsOfTrack.map(({ track: { from } }) => from),
      )
    expect(audibleStarts(true)).toEqual([[0]])
    expect(audibleStarts(false)).toEqual([[0, 1]])
    const audio = [
      clip(0, 1, { volume: 0.25 }),
      clip(1, 2),
      clip(2, 3, { volume: 0 }),
      clip(3, 4, { speed: 5.01 }),
    ]
    const { sound } = readGtrk(gtrk({ audio_track: [{ ...soundTrack(...audio), volume: 2 }] }))
    expect(sound.map((clipsOfTrack) => clipsOfTrack.map(({ volume }) => volume))).toEqual([[0.25, 2]])
  })
})

/** Generates sorted clips of one track, with gaps and with overlaps caused by rounding. */
const trackClips = fc
  .array(
    fc.record({
      gap: fc.constantFrom(0, 0, 0.01, 0.7, -clipTolerance),
      seconds: fc.double({ min: 0.004, max: 40, noNaN: true }),
      speed: fc.constantFrom(1, 1, 0.3, 7),
      material: fc.constantFrom('1', '2'),
      from: fc.double({ min: 0, max: 100, noNaN: true }),
    }),
    { maxLength: 60 },
  )
  .map((clips) => {
    let at = 0
    return clips.map(({ gap, seconds, speed, material, from }): TimelineClip => {
      const start = Math.max(0, at + gap)
      at = start + seconds
      return {
        ...{ requestPath: '', material, speed, keepPitch: false, volume: 1 },
        source: { from, to: from + seconds * speed },
        track: { from: start, to: at },
      }
    })
  })
const rates = fc.constantFrom(1, 24, 30, 120)

describe('pieces', () => {
  test('cover the output exactly, and each clip starts and ends at its own rounded time, unless it overlaps', () => {
    fc.assert(
      fc.property(trackClips, rates, fc.integer({ min: 1, max: 5000 }), (clips, perSecond, total) => {
        const pieces = layOutPieces(clips, { total, perSecond })
        expect(totalUnits(pieces)).toBe(total)
        let at = 0
        for (const piece of pieces) {
          const end = at + piece.units
          expect(piece.units).toBeGreaterThan(0)
          if (piece.clip) {
            expect(at - piece.offset).toBe(Math.round(piece.clip.track.from * perSecond))
            expect(piece.offset).toBeLessThanOrEqual(1)
            expect(end).toBe(Math.min(total, Math.round(piece.clip.track.to * perSecond)))
          }
          at = end
        }
      }),
    )
  })

  test('are divided into parts of bounded length, in groups that fit, without losing or repeating source', () => {
    fc.assert(
      fc.property(trackClips, rates, fc.integer({ min: 16, max: 600 }), (clips, perSecond, maxUnits) => {
        const total = Math.ceil((clips.at(-1)?.track.to ?? 1) * perSecond) + 3
        const pieces = layOutPieces(clips, { total, perSecond })
        const fits = (group: PieceGroup) => group.filter((one) => one.clip).length <= 4
        const parts = divideIntoParts(pieces, { maxUnits, minUnits: 16, fits })
        const last = parts.length - 1
        for (const [index, { groups, mainGroup: live }] of parts.entries()) {
          const units = totalUnits(groups.flat())
          expect(units).toBeGreaterThanOrEqual(Math.min(16, total))
          expect(units).toBeLessThan(maxUnits + 2 * 16)
          expect(groups.every(fits)).toBe(true)
          expect(totalUnits(live)).toBe(Math.max(...groups.map(totalUnits)))
          expect(units - totalUnits(live)).toBeLessThan(index === last ? 2 * 16 - 1 : 16)
        }
        const all = parts.flatMap(({ groups }) => groups.flat())
        expect(totalUnits(all)).toBe(total)
        for (const [index, piece] of all.entries()) {
          const next = all[index + 1]
          if (!next) continue
          if (next.clip === piece.clip) expect(next.offset).toBe(piece.offset + piece.units)
          else expect(next.offset).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  test('are grouped into reads in order, each forward through one material', () => {
    fc.assert(
      fc.property(trackClips, fc.boolean(), (clips, isWorth) => {
        const ranges = layOutPieces(clips, { total: 2000, perSecond: 30 }).flatMap(
          (piece) => pieceMaterialRange(piece, 30) ?? [],
        )
        const reads = groupReads(ranges, () => isWorth)
        expect(reads.flat()).toEqual(ranges)
        for (const read of reads) {
          if (!isWorth) expect(read).toHaveLength(1)
          for (const [index, range] of read.slice(1).entries()) {
            expect(isReadableAfter(read[index] ?? range, range)).toBe(true)
          }
        }
      }),
    )
  })
})

test('the clips of all tracks are packed into the minimum number of tracks, without overlaps', () => {
  fc.assert(
    fc.property(fc.array(trackClips, { maxLength: 12 }), (tracks) => {
      const packed = packAudioTracks(tracks)
      expect(new Set(packed.flat())).toEqual(new Set(tracks.flat()))
      for (const clips of packed) {
        for (const [index, next] of clips.slice(1).entries())
          expect(next.track.from).toBeGreaterThanOrEqual((clips[index]?.track.to ?? 0) - clipTolerance)
      }
      const simultaneous = tracks
        .flat()
        .map(
          ({ track: { from } }) =>
            tracks.flat().filter((one) => one.track.from <= from && from < one.track.to - clipTolerance)
              .length,
        )
      expect(packed).toHaveLength(Math.max(0, ...simultaneous))
    }),
    { numRuns: 30 },
  )
})

test('the speed of varispeed rates is exact to a millisecond per hour', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 5, noNaN: true }), (speed) => {
      const { from, to } = varispeedRates(speed)
      expect(Number.isInteger(from) && Number.isInteger(to)).toBe(true)
      expect(Math.abs(to / from / speed - 1) * 3600).toBeLessThan(0.001)
    }),
    { examples: [[0.048_076_836_176_309_72]] },
  )
  expect(varispeedRates(1.25)).toEqual({ from: 48_000, to: 60_000 })
})
