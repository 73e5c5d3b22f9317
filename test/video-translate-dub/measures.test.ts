import { describe, expect, it } from 'vitest'
import { measureLevel } from '../../src/engines/ffmpeg/true-peak.ts'
import type { AlignmentLine } from '../../src/media/dubbing/alignment.ts'
import { firstChannel, largestStep, rate, readMonoWav, toneLevel } from '../engines/dubbing/sounds.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { decodeLimits, hasSpeechFiles } from '../engines/speech/recordings.ts'
import type { RecordingLanguage } from '../recordings/sentences.ts'
import { canSpeak } from '../recordings/speak.ts'
import { soakSize } from '../soak-size.ts'
import { musicTones } from './dub-source.ts'
import { openDubStage, runDub } from './run-dub.ts'

// Whole dubs with voices of espeak-ng, a recogniser that knows the text, and a separator by frequency: measured in the
// sound of the results.

const allPairs: readonly (readonly [from: RecordingLanguage, to: RecordingLanguage])[] = [
  ['zh-CN', 'en-US'],
  ['en-US', 'zh-CN'],
  ['ja-JP', 'ko-KR'],
  ['ko-KR', 'ja-JP'],
]
const pairs = soakSize(allPairs.slice(0, 1), allPairs)
const sentences = soakSize(5, 12)

const loudness = async (path: string) => (await measureLevel(path, decodeLimits)).loudness ?? -Infinity
const share = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length / all.length

/** Seconds at which sound starts in a part of a recording; undefined if it is silent. */
function onset(sound: Float32Array, from: number, to: number): number | undefined {
  const [first, end] = [Math.round(from * rate), Math.round(to * rate)]
  for (let at = first; at < end; at += 1) if (Math.abs(sound[at] ?? 0) > 0.003) return at / rate
  return undefined
}

/** Seconds. */
type Span = readonly [from: number, to: number]

/** Changes of the tones of the music in a part of a sound, dB, for each chord in it. */
function musicChanges(sound: Float32Array, before: Float32Array, [from, to]: Span): number[] {
  const beats = Array.from(
    { length: Math.ceil(2 * to) - Math.floor(2 * from) },
    (_, index) => (Math.floor(2 * from) + index) / 2,
  )
  return beats.flatMap((beat) => {
    const span = [Math.max(from, beat) + 0.02, Math.min(to, beat + 0.5) - 0.02] as const
    if (span[1] - span[0] < 0.15) return []
    return musicTones(beat).map((hertz) => toneLevel(sound, hertz, span) - toneLevel(before, hertz, span))
  })
}

/** Parts of the output without speech, and without the fades of the music beside it, seconds. */
function silences(lines: readonly AlignmentLine[], seconds: number): Span[] {
  const edges = [-0.4, ...lines.flatMap(({ st_ms, dur_ms }) => [st_ms / 1000, (st_ms + dur_ms) / 1000])]
  const spans = Array.from({ length: lines.length + 1 }, (_, index) => {
    const [from = 0, to = seconds + 0.1] = edges.slice(2 * index, 2 * index + 2)
    // A pause of less than 0.8 s has no fades.
    return to - from < 0.8 ? ([0, 0] as const) : ([from + 0.45, to - 0.2] as const)
  })
  return spans.filter(([from, to]) => to > from)
}

describe.skipIf(!canSpeak || !hasSpeechFiles).each(pairs)(
  'from %s to %s (REELWRIGHT_TESTDATA)',
  (from, to) => {
    it('lines are in their band and at their times, without clicks, with the levels of the source', async () => {
      const folder = await scratchFolder()
      await using stage = await openDubStage(folder, { language: from, to, sentences })
      const { output, paths, record } = await runDub(stage, {}, { folder })
      const { lines } = record
      expect(lines.length).toBeGreaterThanOrEqual(sentences)
      const freezesBefore = (index: number) =>
        lines.slice(0, index).reduce((sum, { freeze_ms }) => sum + freeze_ms, 0)
      const shifts = lines.map(({ st_ms, src_st_ms }, index) => st_ms - freezesBefore(index) - src_st_ms)

      // Speed, and what is lost.
      const isInBand = ({ speed, trim_ms }: AlignmentLine) => speed >= 0.95 && speed <= 1.15 && trim_ms === 0
      expect(share(lines, isInBand)).toBeGreaterThanOrEqual(0.95)
      for (const shift of shifts) expect(Math.abs(shift)).toBeLessThanOrEqual(500)
      expect(share(shifts, (shift) => Math.abs(shift) <= 200)).toBeGreaterThanOrEqual(0.9)

      // The sound of the dub starts where the record says, and is silent between lines.
      const dub = await readMonoWav(paths.get('dub.wav') ?? '')
      for (const { st_ms, dur_ms } of lines) {
        const [start, end] = [st_ms / 1000, (st_ms + dur_ms) / 1000]
        expect(Math.abs((onset(dub, start - 0.04, end) ?? Infinity) - start)).toBeLessThan(0.06)
        for (const edge of [start, end])
          expect(
            largestStep(dub.subarray(Math.round((edge - 0.002) * rate), Math.round((edge + 0.002) * rate))),
          ).toBeLessThan(0.05)
      }

      // Levels.
      const [result, source] = [paths.get(`source.${to}.mp4`) ?? '', stage.source.path]
      expect(Math.abs((await loudness(result)) - (await loudness(source)))).toBeLessThan(1)
      const { output_duration_ms, source_duration_ms } = output.report
      const seconds = Math.min(output_duration_ms, source_duration_ms) / 1000
      const [heard, before] = [await firstChannel(result, seconds), await firstChannel(source, seconds)]
      const changes = (parts: readonly Span[]) => parts.flatMap((part) => musicChanges(heard, before, part))
      const pauses = changes(silences(lines, seconds))
      expect(pauses.length).toBeGreaterThan(2)
      for (const change of pauses) expect(Math.abs(change)).toBeLessThan(1)
      const ducked = changes(lines.map(({ st_ms, dur_ms }) => [st_ms / 1000, (st_ms + dur_ms) / 1000]))
      // The voices have some energy at the tones of the music.
      const median = ducked.toSorted((one, other) => one - other)[ducked.length >> 1] ?? 0
      expect(Math.abs(median + 12)).toBeLessThan(1)
    })
  },
)
