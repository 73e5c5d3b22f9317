import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { recordingRates } from '../recordings/frame-marks.ts'
import { recordingLanguages } from '../recordings/sentences.ts'
import { canSpeak } from '../recordings/speak.ts'
import { soakSize } from '../soak-size.ts'
import { measureCut } from './measure-cut.ts'

/** Least kept-time F1 of a cut. */
const minF1 = { script: 0.97, rebuilt: 0.93 }

const presets = ['steady', 'concise', 'compact', undefined, undefined] as const
/** First of the consecutive seeds: the least one with which each recording has at least two mistakes. */
const firstSeed = 2

const cases = recordingLanguages.map((language, index) => ({
  ...{ language, seed: firstSeed + index, sentences: 5, preset: presets[index] },
  rate: recordingRates[index] ?? { num: 25, den: 1 },
  room: index % 2 === 0 ? -62 : -70,
}))

/** In the short form, a language without spaces is cut with its script, and one with spaces without it. */
const withScript = soakSize(cases.slice(0, 1), cases)
const withoutScript = soakSize(cases.slice(1, 2), cases)

describe.skipIf(!canSpeak || !hasSpeechFiles)('a cut of a recording with mistakes', async () => {
  const folder = await scratchFolder()

  it.each(withScript)(
    'keeps what a script contains, with the pauses of the table: $language',
    async (options) => {
      const cut = await measureCut(folder, { ...options, withScript: true, errors: { swallowed: 1 } })
      expect(cut.judged.f1).toBeGreaterThan(minF1.script)
      expect([cut.judged.clippedWords, cut.wrongPauses, cut.swallowedFound.lost]).toEqual([[], [], []])
      expect(cut.attemptsFound.all).toBeGreaterThanOrEqual(2)
      expect(cut.judged.pauses.length).toBeGreaterThan(3)
      expect(cut.fillerSeconds + cut.judged.breathSeconds).toBeLessThan(0.2)
    },
  )

  it.each(withoutScript)('keeps the last takes without a script: $language', async (options) => {
    const cut = await measureCut(folder, { ...options, withScript: false })
    expect(cut.judged.f1).toBeGreaterThan(minF1.rebuilt)
    expect([cut.judged.clippedWords, cut.wrongPauses]).toEqual([[], []])
    expect(cut.report).toMatchObject({ script_source: 'rebuilt', coverage: 1, uncovered_script: [] })
  })
})
