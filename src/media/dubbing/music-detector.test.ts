import { sampleCases } from '../../../test/soak-size.ts'
import { describe, expect, it } from 'vitest'
import { MusicDetector } from './music-detector.ts'

const rate = 16_000
type Sound = (time: number, at: number) => number

const silence: Sound = () => 0

/** Uniform noise with a level in dBFS. */
function noise(decibels: number, seed = 1): Sound {
  let state = seed
  const level = Math.sqrt(3) * 10 ** (decibels / 20)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 31 - 1) * level
  }
}

/** Chords of decaying tones, a new one each half second, with a mean level in dBFS. */
function chords(decibels: number): Sound {
  const level = 10 ** (decibels / 20)
  return (time) => {
    const root = [220, 196, 174.6, 261.6][Math.floor(2 * time) % 4] ?? 220
    const tones = [1, 1.26, 1.5, 2, 3].map((ratio) => Math.sin(2 * Math.PI * root * ratio * time))
    return level * Math.exp(-1.5 * (time % 0.5)) * tones.reduce((sum, tone) => sum + tone, 0)
  }
}

/** A voice that says syllables of 0.2 s for 3 s and pauses for 1 s, dBFS. */
function speech(decibels: number): Sound {
  const level = 10 ** (decibels / 20)
  return (time) => {
    if (time % 4 > 3) return 0
    const shape = Math.max(0, Math.sin((Math.PI * (time % 0.25)) / 0.2))
    const tones = [1, 2, 3, 4, 5, 8].map(
      (part) => Math.sin(2 * Math.PI * 130 * part * time) / Math.sqrt(part),
    )
    return level * shape * tones.reduce((sum, tone) => sum + tone, 0)
  }
}

/** Whether a detector finds music in seconds of separated sound. */
function decides(voice: Sound, music: Sound, seconds: number): boolean {
  const detector = new MusicDetector()
  const frame = (sound: Sound, index: number) =>
    new Float32Array(MusicDetector.frameSamples).map((_, at) => {
      const sample = index * MusicDetector.frameSamples + at
      return sound(sample / rate, sample)
    })
  for (let index = 0; index * MusicDetector.frameSamples < seconds * rate; index += 1)
    if (detector.push(frame(voice, index), frame(music, index))) return true
  return detector.finish()
}

describe('separated sound', () => {
  const said = speech(-22)
  const spoken = new Float32Array(40 * rate).map((_, at) => said(at / rate, at))
  const voice: Sound = (_, at) => spoken[at] ?? 0
  const plus =
    (...sounds: readonly Sound[]): Sound =>
    (time, at) =>
      sounds.reduce((sum, sound) => sum + sound(time, at), 0)
  const first =
    (seconds: number, sound: Sound): Sound =>
    (time, at) =>
      time < seconds ? sound(time, at) : 0

  // `npm test` samples these cases evenly: the first, the last and the others nearest the limits are in it.
  const musical: readonly (readonly [string, Sound])[] = [
    ['quiet music under speech', chords(-42)],
    ['music', chords(-30)],
    ['music in the first 10 s only', first(10, chords(-30))],
    ['music in the first 10 s, then noise', plus(first(10, chords(-30)), noise(-45))],
    ['music with noise', plus(chords(-30), noise(-50))],
    ['music with what is left of the voice', plus(chords(-36), (time, at) => 0.05 * voice(time, at))],
  ]

  it.each(sampleCases(musical, 4))('contains music: %s', (_, music) => {
    expect(decides(voice, music, 30)).toBe(true)
    expect(decides(silence, music, 30)).toBe(true)
  })

  const others: readonly (readonly [string, Sound])[] = [
    ['silence', silence],
    ['hiss at -60 dBFS', noise(-60)],
    ['noise at -35 dBFS', noise(-35)],
    ['what is left of the voice', (time: number, at: number) => 0.1 * voice(time, at)],
    ['noise with what is left of the voice', plus(noise(-55), (time, at) => 0.1 * voice(time, at))],
    [
      'a tone of half a second every 10 s',
      (time: number) => (time % 10 < 0.5 ? 0.1 * Math.sin(2 * Math.PI * 900 * time) : 0),
    ],
    ['a tone of 1 s', first(1, (time) => 0.1 * Math.sin(2 * Math.PI * 900 * time))],
    [
      'mains hum',
      (time: number) => 0.02 * Math.sin(2 * Math.PI * 50 * time) + 0.01 * Math.sin(2 * Math.PI * 100 * time),
    ],
    ['music that is hardly audible', chords(-66)],
  ]

  it.each(sampleCases(others, 5))('contains none: %s', (_, music) => {
    expect(decides(voice, music, 40)).toBe(false)
  })
})
