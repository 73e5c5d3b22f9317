import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  breath,
  burst,
  hiss,
  record,
  silence,
  vowel,
  type Piece,
} from '../../../test/recordings/speech-sounds.ts'
import { soakSize } from '../../../test/soak-size.ts'
import { levelAt, voicedExtent, type SpeechLevels } from './edges.ts'
import { LevelTrack } from './level-track.ts'
import { mapSpeech } from './speech-map.ts'

/** Largest error of an edge, seconds: three hops, as filters ring after an abrupt end. */
const edgeTolerance = 0.0151

function analyse(samples: Float32Array, chunk = samples.length): SpeechLevels {
  const track = new LevelTrack()
  for (let from = 0; from < samples.length; from += chunk) track.add(samples.subarray(from, from + chunk))
  const curve = track.finish()
  return { curve, map: mapSpeech(curve) }
}

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true })

describe('the level track', () => {
  it('has the levels of hops of 5 ms', () => {
    const { samples } = record([silence(1), vowel(1, -20), hiss(1, -40), silence(1)])
    const { curve } = analyse(samples)
    expect(curve.hops).toBe(800)
    const mean = (from: number, of: (hop: number) => number) =>
      Array.from({ length: 160 }, (_, at) => of(from + 20 + at)).reduce((sum, each) => sum + each, 0) / 160
    expect(mean(0, curve.level)).toBeCloseTo(-70, -0.5)
    expect(Math.abs(levelAt(curve, 1.5) + 20)).toBeLessThan(2.5)
    expect(Math.abs(levelAt(curve, 2.5) + 40)).toBeLessThan(2.5)
    expect(mean(200, curve.periodicity)).toBeGreaterThan(0.9)
    expect(mean(400, curve.periodicity)).toBeLessThan(0.5)
    expect(mean(400, curve.sibilance)).toBeGreaterThan(-43)
    expect(curve.floor(300)).toBeGreaterThan(-72)
    expect(curve.floor(300)).toBeLessThan(-68)
  })

  it('is the same for any division into chunks', () => {
    const { samples } = record([silence(0.3), vowel(0.4), hiss(0.1234, -40)])
    const whole = analyse(samples)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (chunk) => {
        const { curve, map } = analyse(samples, chunk)
        expect(map).toEqual(whole.map)
        expect(curve.hops).toBe(whole.curve.hops)
        for (let hop = 0; hop < curve.hops; hop += 1) expect(curve.level(hop)).toBe(whole.curve.level(hop))
      }),
      { numRuns: soakSize(8, 20) },
    )
  })

  it('adapts the noise floor', () => {
    const quiet = record([silence(20)], { room: -68 })
    const loud = record([silence(20)], { room: -45 })
    const samples = new Float32Array(quiet.samples.length + loud.samples.length)
    samples.set(quiet.samples)
    samples.set(loud.samples, quiet.samples.length)
    const { curve, map } = analyse(samples)
    expect(Math.abs(curve.floor(1000) + 69)).toBeLessThan(2)
    expect(Math.abs(curve.floor(7000) + 46)).toBeLessThan(2)
    // Only the step may count as sound, until the window has passed it.
    expect(map.voices).toEqual([])
  })

  it('of nothing, silence and damaged sound is empty', () => {
    expect(analyse(new Float32Array(0)).map).toEqual({ voices: [], breaths: [] })
    expect(analyse(new Float32Array(50_000)).map).toEqual({ voices: [], breaths: [] })
    const { curve } = analyse(new Float32Array(50_000))
    expect(curve.level(10)).toBe(-127.5)
    expect(curve.level(-1)).toBe(-127.5)
  })
})

describe('the edges of a voice', () => {
  it('are exact to 1.5 ms, also of an abrupt one', () => {
    const offset = fc.record({ lead: between(0.6, 0.7), voice: between(0.2, 0.6), level: between(-30, -12) })
    fc.assert(
      fc.property(offset, ({ lead: before, voice, level }) => {
        const { samples, spans } = record([silence(before), vowel(voice, level), silence(0.6)])
        const { map } = analyse(samples)
        expect(map.voices).toHaveLength(1)
        expect(Math.abs((map.voices[0]?.start ?? 0) - (spans[1]?.start ?? 0))).toBeLessThanOrEqual(0.0015)
        expect(Math.abs((map.voices[0]?.end ?? 0) - (spans[1]?.end ?? 0))).toBeLessThanOrEqual(0.0015)
      }),
      { numRuns: soakSize(12, 30) },
    )
  })
})

describe('the extent of a voice', () => {
  const lead = [silence(0.6), vowel(0.5), silence(0.5)]
  /** A recording with pieces between two words, and the extent of the pieces for errors of the recogniser. */
  const recordPhrase = (pieces: readonly Piece[], room = -70) => {
    const { samples, spans } = record([...lead, ...pieces, silence(0.5), vowel(0.4), silence(0.5)], { room })
    const levels = analyse(samples)
    const truth = { start: spans[3]?.start ?? 0, end: spans[2 + pieces.length]?.end ?? 0 }
    const limits = { start: spans[1]?.end ?? 0, end: spans.at(-2)?.start ?? 0 }
    const extent = (start = 0, end = 0) =>
      voicedExtent(
        levels,
        { start: truth.start + start, end: truth.end + end },
        { start: limits.start + start, end: limits.end + end },
      )
    return { truth, extent }
  }

  it.each<[string, Piece[], number]>([
    ['a vowel', [vowel(0.4)], -70],
    ['a soft final s', [vowel(0.3), hiss(0.15, -50)], -70],
    ['a soft final f in noise', [vowel(0.3), burst(0.12, -44)], -58],
    ['cats', [vowel(0.2), silence(0.05), burst(0.015, -45), hiss(0.14, -42)], -70],
    [
      'stop',
      [hiss(0.13, -40), silence(0.06), burst(0.02, -40), vowel(0.15), silence(0.09), burst(0.03, -42)],
      -70,
    ],
    ['words without a pause', [vowel(0.3), hiss(0.1, -40), vowel(0.3), silence(0.06), vowel(0.2)], -70],
  ])('%s loses nothing', (_, pieces, room) => {
    const { truth, extent } = recordPhrase(pieces, room)
    const found = extent()
    expect(Math.abs((found?.start ?? 0) - truth.start)).toBeLessThanOrEqual(edgeTolerance)
    expect(Math.abs((found?.end ?? 0) - truth.end)).toBeLessThanOrEqual(edgeTolerance)
  })

  it('does not depend on small errors of the recogniser', () => {
    const somePieces = fc.tuple(
      fc.option(between(0.05, 0.2).map((seconds) => hiss(seconds, -42))),
      between(0.15, 1.5).map((seconds) => vowel(seconds)),
      fc.option(between(0.05, 0.2).map((seconds) => hiss(seconds, -48))),
    )
    const error = between(-0.15, 0.15)
    fc.assert(
      fc.property(
        somePieces,
        fc.array(fc.tuple(error, error), { minLength: 20, maxLength: 20 }),
        (some, errors) => {
          const { truth, extent } = recordPhrase(some.filter((piece) => piece !== null))
          const found = extent()
          for (const [start, end] of errors) expect(extent(start, end)).toEqual(found)
          expect(Math.abs((found?.start ?? 0) - truth.start)).toBeLessThanOrEqual(edgeTolerance)
          expect(Math.abs((found?.end ?? 0) - truth.end)).toBeLessThanOrEqual(edgeTolerance)
        },
      ),
      { numRuns: soakSize(10, 25) },
    )
  })

  it('excludes breaths beside it, also within a short pause', () => {
    const pieces = [breath(0.3, -30), silence(0.05), vowel(0.4), silence(0.05), breath(0.15, -40)]
    const { samples, spans } = record([...lead, ...pieces, silence(0.6)])
    const voice = spans[lead.length + 2] ?? { start: 0, end: 0 }
    const limits = { start: spans[1]?.end ?? 0, end: 9 }
    const found = voicedExtent(analyse(samples), voice, limits)
    expect(found?.start).toBeCloseTo(voice.start, 1.5)
    expect(found?.end).toBeCloseTo(voice.end, 1.5)
  })

  it('of continuous speech ends at a quiet moment near the border', () => {
    const { samples } = record([silence(0.5), vowel(1, -20), vowel(0.03, -50), vowel(1, -20), silence(0.5)])
    const levels = analyse(samples)
    for (const border of [1.44, 1.5, 1.56]) {
      const first = voicedExtent(levels, { start: 0.5, end: border }, { start: 0, end: border })
      const second = voicedExtent(levels, { start: border, end: 2.53 }, { start: border, end: 3 })
      expect(first?.start).toBeCloseTo(0.5, 1.5)
      expect(Math.abs((first?.end ?? 0) - 1.515)).toBeLessThanOrEqual(edgeTolerance)
      expect(second?.start).toBe(first?.end)
    }
  })

  it('is null without a voice', () => {
    const levels = analyse(record([...lead, silence(2)]).samples)
    expect(voicedExtent(levels, { start: 2.5, end: 2.8 }, { start: 1.1, end: 9 })).toBeNull()
  })
})

describe('breaths', () => {
  it('are found from -45 to -12 dBFS and from 0.1 to 0.8 s', () => {
    const options = fc.record({
      seconds: between(0.1, 0.8),
      level: between(-45, -12),
      gaps: between(0.06, 0.4),
      seed: fc.nat(),
    })
    fc.assert(
      fc.property(options, ({ seconds, level, gaps, seed }) => {
        const pieces = [
          vowel(0.8),
          silence(gaps),
          breath(seconds, level),
          silence(gaps),
          vowel(0.8),
          silence(0.5),
        ]
        const { samples, spans } = record(pieces, { seed })
        const truth = spans[2] ?? { start: 0, end: 0 }
        const found = analyse(samples).map.breaths
        expect(found).toHaveLength(1)
        expect(Math.abs((found[0]?.start ?? 0) - truth.start)).toBeLessThanOrEqual(0.015)
        expect(Math.abs((found[0]?.end ?? 0) - truth.end)).toBeLessThanOrEqual(0.015)
      }),
      { numRuns: soakSize(12, 30) },
    )
  })

  it('are not voices, sibilants, bursts, or noise outside the bounds', () => {
    const pieces = [
      ...[
        silence(0.5),
        vowel(0.4),
        silence(0.06),
        hiss(0.15, -35),
        silence(0.4),
        vowel(0.1, -30),
        silence(0.4),
      ],
      ...[burst(0.03, -20), silence(0.4), breath(0.3, -55), silence(0.4), breath(1.1, -30), silence(2)],
    ]
    expect(analyse(record(pieces).samples).map.breaths).toEqual([])
  })
})
