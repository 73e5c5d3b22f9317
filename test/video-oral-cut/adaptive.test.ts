import { beforeAll, describe, expect, it } from 'vitest'
import type { BreakClass } from '../../src/media/cut/pauses.ts'
import { rhythmTable } from '../../src/media/cut/pauses.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { judgeCut } from '../recordings/judge.ts'
import { sentenceTables, type SpokenWord } from '../recordings/sentences.ts'
import { canSpeak } from '../recordings/speak.ts'
import { keptSpans } from './measure-cut.ts'
import { type CutRecording, cutRecording } from './run-cut.ts'

/** Sentences that make a recording longer than a minute. */
const moreSentences = [
  'The old harbour was full of small wooden boats, and children were fishing from the wall.',
  'My neighbour repairs bicycles in his garage, although he never rides one himself.',
  'We missed the last train to the coast, so we walked along the river until midnight.',
  'Nobody remembered where the key was hidden, not even the gardener.',
  'Our first office had no windows, but the rent was very low.',
  'A good photograph begins with patience, and it often ends with luck.',
  'The museum closes early on Mondays, which surprised the whole class.',
  'He bought three heavy books, and he read none of them.',
  'Snow fell over the village during the night, and the road was blocked by morning.',
  'She painted the kitchen yellow, because the afternoon light is better there.',
  'They opened a tiny bakery behind the station, and it became famous within a year.',
  'Two engineers tested the bridge with trucks, while reporters waited on the other side.',
].map((sentence): SpokenWord[] =>
  sentence.split(' ').map((word) => {
    const [text = '', mark = ''] = word.split(/(?=[,.]$)/u)
    return { text, spoken: text, mark }
  }),
)

const rate = { num: 25, den: 1 }

/** Commas are given, so that the speaker's own pauses do not change them. */
const givenComma = 0.11

describe.skipIf(!canSpeak || !hasSpeechFiles)('a cut with the rhythm of the speaker', () => {
  let cut: CutRecording
  /** Pauses of the speaker at full stops, seconds. */
  let ownPauses: readonly number[]
  beforeAll(async () => {
    const table = sentenceTables['en-US']
    cut = await cutRecording(await scratchFolder(), {
      ...{ language: 'en-US', seed: 5, sentences: 20, mistakes: false, rate, errors: { jitter: 0.08 } },
      table: { ...table, sentences: [...table.sentences, ...moreSentences] },
      request: ({ text }) => ({
        ...{ la: 'en-US', script: text, source_path: '/footage/talk.mp4', rhythm_preset: 'compact' },
        punctuation_breaks: { ',': givenComma },
      }),
    })
    const { passages } = cut.recording.truth
    ownPauses = passages.flatMap(({ end, breakAfter }, index) => {
      const next = passages[index + 1]
      return breakAfter === '。' && next ? [next.start - end] : []
    })
  })

  it('measures the pauses of the speaker by class', () => {
    const { report } = cut
    expect(report).toMatchObject({ adaptive_rhythm: true, rhythm_preset: 'compact' })
    const sorted = ownPauses.toSorted((one, other) => one - other)
    const median = ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
    const profile = report.pause_profile?.['。']
    // Pauses with a click or a breath in them are not silences.
    expect(profile?.n).toBeGreaterThan(0.7 * ownPauses.length)
    expect(profile?.n).toBeLessThanOrEqual(ownPauses.length)
    expect(Math.abs((profile?.median ?? 0) - median)).toBeLessThan(0.05)
    expect(profile?.p75).toBeGreaterThanOrEqual(profile?.median ?? Infinity)
  })

  it('scales them by half of the preset, within bounds, and leaves given values alone', async () => {
    const table = rhythmTable.compact
    const profile = cut.report.pause_profile ?? {}
    const adapted = (key: BreakClass) => {
      const own = profile[key]
      if (!own || own.n < 5) return table.breaks[key]
      return Math.min(2 * table.breaks[key], Math.max(table.breaks[key] / 2, own.median / 2))
    }
    expect(adapted('。')).not.toBeCloseTo(table.breaks['。'], 2)
    const breaks = { ...table.breaks, '。': adapted('。'), ',': givenComma, paragraph: adapted('paragraph') }
    const { pauses } = judgeCut(cut.recording.truth, await keptSpans(cut), { ...table, breaks })
    const checked = pauses.filter(({ breakAfter }) => breakAfter === '。' || breakAfter === ',')
    expect(checked.length).toBeGreaterThan(20)
    // Half a frame and 2 ms.
    expect(checked.filter(({ error }) => Math.abs(error) > 0.022)).toEqual([])
  })
})
