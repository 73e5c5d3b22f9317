import { describe, expect, it } from 'vitest'
import { speakerVisibility } from './speaker-visibility.ts'
import type { MouthSample } from './visual-speech.ts'

/** Samples of 0.1 s; a face is seen in those for which `isSeen` returns true. */
function samplesOf(seconds: number, isSeen: (time: number) => boolean): MouthSample[] {
  return Array.from({ length: 10 * seconds }, (_, index) => {
    const start = index / 10
    return { start, end: start + 0.1, motion: isSeen(start) ? 0.1 : null }
  })
}

const voices = [
  { start: 1, end: 3 },
  { start: 5, end: 7 },
]

describe('the visibility of a speaker', () => {
  it('is the share of the speech with a face, and of that the share with a moving mouth', () => {
    const samples = samplesOf(10, (time) => time < 2.95 || time > 7.5)
    expect(speakerVisibility(samples, { voices, visual: [{ start: 0.5, end: 2 }] })).toEqual({
      ...{ seen: 0.5, moving: 0.5 },
    })
    expect(speakerVisibility(samples, { voices, visual: voices })).toEqual({ seen: 0.5, moving: 1 })
  })

  it('does not depend on silence', () => {
    const speaking = (time: number) => voices.some(({ start, end }) => time >= start && time < end)
    expect(speakerVisibility(samplesOf(1000, speaking), { voices, visual: voices })).toMatchObject({
      seen: 1,
    })
  })

  it('is none without a face, a picture or speech', () => {
    const none = { seen: 0, moving: 1 }
    expect(
      speakerVisibility(
        samplesOf(10, () => false),
        { voices, visual: [] },
      ),
    ).toEqual(none)
    expect(speakerVisibility([], { voices, visual: [] })).toEqual(none)
    expect(
      speakerVisibility(
        samplesOf(10, () => true),
        { voices: [], visual: [] },
      ),
    ).toEqual(none)
  })
})
