import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bandCount, bandFrequency, bandPosition } from '../../src/media/audio/bands.ts'
import { AudioFeatureTracker, type AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { recentBeats } from '../../src/media/audio/beat-detector.ts'
import { AudioProfiler, type AudioProfile } from '../../src/media/audio/audio-profile.ts'
import { song, sound } from './draw-template.ts'

function audioProfile(samples: Float32Array): AudioProfile {
  const profiler = new AudioProfiler()
  profiler.push(samples)
  return profiler.finish()
}

function momentsOf(
  samples: Float32Array,
  { fps, piece = samples.length }: { fps: number; piece?: number },
): AudioFeatures[] {
  const frames = Math.round((samples.length / 2 / 48_000) * fps)
  const moments = new AudioFeatureTracker({ profile: audioProfile(samples), fps, frames })
  const features: AudioFeatures[] = []
  const copyFeatures = (moment: AudioFeatures) =>
    features.push({
      ...moment,
      bands: moment.bands.slice(),
      left: moment.left.slice(),
      right: moment.right.slice(),
    })
  for (let at = 0; at < samples.length; at += piece) {
    for (const moment of moments.push(samples.subarray(at, at + piece))) copyFeatures(moment)
  }
  for (const moment of moments.finish()) copyFeatures(moment)
  return features
}

/** Clicks: five milliseconds of a decaying high tone at each time. */
function clicks(times: readonly number[]) {
  return (time: number) => {
    const since = time - (times.findLast((at) => at <= time) ?? Infinity)
    return since >= 0 && since < 0.005
      ? 0.8 * Math.cos(2 * Math.PI * 2500 * since) * Math.exp(-400 * since)
      : 0
  }
}

describe('bands', () => {
  it('a sine is loudest in the band of its frequency', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.05, max: 0.95, noNaN: true }), (position) => {
        const hertz = bandFrequency(position)
        const moments = momentsOf(
          sound(0.4, (time) => 0.5 * Math.sin(2 * Math.PI * hertz * time)),
          { fps: 30 },
        )
        const { bands = new Float32Array() } = moments[8] ?? {}
        const loudest = Math.max(...bands)
        const lit = [...bands].flatMap((level, band) => (level >= loudest - 1e-6 ? [band] : []))
        const middle = lit.reduce((sum, band) => sum + band, 0) / lit.length
        // Windows resolve low frequencies to 12 Hz, which is several bands.
        const tolerance = 1.5 + (bandPosition(hertz + 12) - position) * (bandCount - 1)
        expect(Math.abs(middle - position * (bandCount - 1))).toBeLessThan(tolerance)
      }),
      { numRuns: 40, seed: 1 },
    )
  })

  it('quiet music reaches the same levels as loud music, and silence is 0', () => {
    const loudSong = song()
    const quiet = loudSong.map((sample) => sample * 0.05)
    const peakOf = (samples: Float32Array) =>
      Math.max(...momentsOf(samples, { fps: 30 }).map(({ bands }) => Math.max(...bands)))
    expect(peakOf(quiet)).toBeCloseTo(peakOf(loudSong), 1)
    expect(peakOf(sound(1, () => 0))).toBe(0)
  })

  it.each([
    ['one sound on both sides', [1, 1], 45],
    ['a sound on the left', [1, 0], 0],
    ['a sound on the right', [0, 1], 90],
    ['opposite sounds', [1, -1], -45],
    ['less on one side', [1, 0.5], (Math.atan(0.5) * 180) / Math.PI],
  ] as const)('%s: left against right is a line of known direction', (_, [left, right], degrees) => {
    const tone = (level: number) => (time: number) => level * 0.5 * Math.sin(2 * Math.PI * 440 * time)
    const { sides } = audioProfile(sound(0.5, tone(left), tone(right)))
    expect(sides.width).toBeLessThan(1e-3)
    expect(Math.abs(Math.sin(sides.angle - (degrees * Math.PI) / 180))).toBeLessThan(1e-3)
  })

  it('independent sides and silence form no line', () => {
    const tone = (hertz: number) => (time: number) => 0.5 * Math.sin(2 * Math.PI * hertz * time)
    expect(audioProfile(sound(1, tone(440), tone(660))).sides.width).toBeCloseTo(Math.SQRT1_2, 2)
    expect(audioProfile(sound(0.5, () => 0)).sides).toEqual({ angle: 0, width: 0 })
  })
})

describe('moments', () => {
  it('do not depend on the frame rate or on the chunks of the sound', () => {
    const samples = song()
    const slow = momentsOf(samples, { fps: 30 })
    const fast = momentsOf(samples, { fps: 60, piece: 1999 })
    expect(slow).toHaveLength(120)
    expect(fast).toHaveLength(240)
    for (const [index, moment] of slow.entries())
      expect(fast[2 * index]).toEqual({ ...moment, index: 2 * index })
  })

  it('have the sound of their exact time in the middle', () => {
    const samples = sound(1, (time) => time)
    const inside = momentsOf(samples, { fps: 48 }).filter(({ time }) => time > 0.05 && time < 0.95)
    const timeErrors = inside.map(({ time, left }) => Math.abs((left[left.length / 2] ?? 0) - time))
    expect(Math.max(...timeErrors)).toBeLessThan(1 / 48_000 + 1e-6)
  })

  it('cover every requested frame, also if the sound ends early', () => {
    const moments = new AudioFeatureTracker({
      profile: audioProfile(new Float32Array(2)),
      fps: 30,
      frames: 7,
    })
    expect([...moments.push(new Float32Array(2)), ...moments.finish()]).toHaveLength(7)
  })
})

describe('beats', () => {
  it('are found at the time of each click, to a millisecond', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.2, max: 0.7, noNaN: true }), { minLength: 3, maxLength: 8 }),
        (gaps) => {
          const times = gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0))
          const { beats } = audioProfile(sound((times.at(-1) ?? 0) + 0.4, clicks(times)))
          expect(beats).toHaveLength(times.length)
          for (const [index, { at }] of beats.entries()) {
            expect(at).toBeLessThanOrEqual((times[index] ?? 0) + 1 / 48_000)
            expect((times[index] ?? 0) - at).toBeLessThan(0.0015)
          }
        },
      ),
      { numRuns: 12, seed: 1 },
    )
  })

  it('exclude a sustained tone, and are the drums of a song, not its tune', () => {
    const { beats: toneBeats } = audioProfile(sound(3, (time) => 0.5 * Math.sin(2 * Math.PI * 440 * time)))
    // The beginning of the tone is a beat.
    expect(toneBeats.filter(({ at }) => at > 0.1)).toEqual([])
    const { beats } = audioProfile(song())
    const drums = beats.filter(({ at }) => Math.abs(at * 2 - Math.round(at * 2)) < 0.01)
    expect(drums.length).toBeGreaterThanOrEqual(7)
    // The tones of the chord interfere, which causes weaker beats than any drum.
    const others = beats.filter((beat) => !drums.includes(beat))
    const weakest = Math.min(...drums.map(({ strength }) => strength))
    expect(Math.max(0, ...others.map(({ strength }) => strength))).toBeLessThan(weakest)
  })

  it('are looked up by time', () => {
    const beats = [0.5, 1, 1.5, 2].map((at) => ({ at, strength: 1 }))
    const times = (moment: number) => recentBeats(beats, moment, 0.8).map(({ at }) => at)
    expect(times(0.4)).toEqual([])
    expect(times(0.5)).toEqual([0.5])
    expect(times(1.6)).toEqual([1, 1.5])
    expect(times(9)).toEqual([])
  })
})
