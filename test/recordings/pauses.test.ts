import { describe, expect, it } from 'vitest'
import { levelAt, voicedExtent, type SpeechLevels } from '../../src/media/cut/edges.ts'
import { planCuts, type KeptSegment } from '../../src/media/cut/frames.ts'
import { LevelTrack } from '../../src/media/cut/level-track.ts'
import { rhythmTable } from '../../src/media/cut/pauses.ts'
import { mapSpeech } from '../../src/media/cut/speech-map.ts'
import { frameTime, hertz } from '../../src/media/frame-rate.ts'
import type { TimeSpan } from '../../src/media/speech/speech-types.ts'
import { sampleCases } from '../soak-size.ts'
import { assemble, keptPassages, type Recording, type TruthPassage } from './assemble.ts'
import { recordingRates } from './frame-marks.ts'
import { judgeCut } from './judge.ts'
import { writeScript } from './script.ts'
import { recordingLanguages } from './sentences.ts'
import { canSpeak } from './speak.ts'

function analyse({ samples }: Recording): SpeechLevels {
  const track = new LevelTrack()
  track.add(samples)
  const curve = track.finish()
  return { curve, map: mapSpeech(curve) }
}

/** Kept segments by the sound. The recogniser's times are up to 80 ms wrong. */
function segmentsOf({ truth }: Recording, levels: SpeechLevels): KeptSegment[] {
  const { passages, seconds } = truth
  const wanted = keptPassages(truth)
  return wanted.map((passage, position) => {
    const index = passages.indexOf(passage)
    const error = 0.08 * Math.sin(7 * index)
    const word = { start: passage.start + error, end: passage.end + error }
    const limits = { start: passages[index - 1]?.end ?? 0, end: passages[index + 1]?.start ?? seconds }
    const voiced = voicedExtent(levels, word, limits) ?? word
    const contiguous =
      wanted[position + 1] === passages[index + 1] && !hasBreath(levels, voiced.end, limits.end)
    return {
      voiced,
      available: silenceAround(voiced, levels, seconds),
      breakAfter: passage.breakAfter,
      contiguous,
    }
  })
}

function hasBreath({ map }: SpeechLevels, from: number, to: number): boolean {
  return map.breaths.some(({ start, end }) => start < to && end > from)
}

function silenceAround({ start, end }: TimeSpan, { map }: SpeechLevels, seconds: number): TimeSpan {
  const sounds = [...map.voices, ...map.breaths]
  return {
    start: Math.max(0, ...sounds.filter((sound) => sound.end <= start + 1e-6).map((sound) => sound.end)),
    end: Math.min(
      seconds,
      ...sounds.filter((sound) => sound.start >= end - 1e-6).map((sound) => sound.start),
    ),
  }
}

/** Silence of a pause without breaths, seconds: all that is certainly available. */
function quietSeconds({ truth }: Recording, passage: TruthPassage | undefined): number {
  const next = passage && truth.passages[truth.passages.indexOf(passage) + 1]
  if (!passage || !next) return 0
  const breaths = truth.breaths.filter(({ start, end }) => start >= passage.end && end <= next.start)
  return breaths.reduce((rest, { start, end }) => rest - (end - start), next.start - passage.end)
}

describe.skipIf(!canSpeak)('a planned cut of generated speech', async () => {
  describe.each(sampleCases(recordingLanguages, 1))('%s', async (language) => {
    it.each([
      { pickups: 0, room: -62 },
      { pickups: 2, room: -70 },
    ])(
      'has the pauses of the table and clips no word: $pickups takes out of order',
      async ({ pickups, room }) => {
        const recording = await assemble(writeScript({ language, seed: 5, pickups }), { room })
        const levels = analyse(recording)
        const segments = segmentsOf(recording, levels)
        const errors = segments.flatMap(({ voiced }, index) => {
          const passage = keptPassages(recording.truth)[index]
          return [voiced.start - (passage?.start ?? 0), voiced.end - (passage?.end ?? 0)].map(Math.abs)
        })
        expect(Math.max(...errors)).toBeLessThan(0.002)
        for (const rate of recordingRates) {
          const rhythm = rhythmTable.default
          const plan = planCuts(segments, {
            ...{ rate, rhythm, mediaFrames: Math.floor(recording.truth.seconds * hertz(rate)) },
            loudness: (time) => levelAt(levels.curve, time),
          })
          const kept = plan.ranges.map(({ first, end }) => ({
            start: frameTime(first, rate),
            end: frameTime(end, rate),
          }))
          const { f1, clippedWords, missingWords, pauses } = judgeCut(recording.truth, kept, rhythm)
          expect([clippedWords, missingWords]).toEqual([[], []])
          expect(f1).toBeGreaterThan(0.99)
          const frame = 1 / hertz(rate)
          const measured = pauses.filter(({ time, want, breakAfter }) => {
            const passage = recording.truth.passages.find(({ end }) => end === time)
            const quiet = quietSeconds(recording, passage)
            // At the bound of long pauses within sentences both values are right.
            const isClear = breakAfter !== null || Math.abs(quiet - rhythm.intraGapMax) > 0.02
            return quiet >= want + 2 * frame && isClear
          })
          expect(measured.length).toBeGreaterThan(5)
          const tolerance = Math.max(0.02, frame / 2 + 0.002)
          const wide = measured.filter(({ error }) => Math.abs(error) > tolerance)
          expect(wide).toEqual([])
        }
      },
    )
  })
})
