import { summarizeList } from '../../src/contract/format.ts'
import type { SpokenLine } from '../../src/engines/dubbing/speak-lines.ts'
import type { PreparedReference } from '../../src/engines/voice/prepare-reference.ts'
import { fitReport } from '../../src/media/dubbing/alignment.ts'
import { cloneSpeaker } from './contract.ts'
import type { DubJob, DubOutput } from './dub-job.ts'
import type { HeardSource } from './hear-source.ts'
import type { RenderedDub } from './render-dub.ts'
import type { SpokenDub } from './speak-dub.ts'
import { doubtfulLines } from './doubtful-lines.ts'

type Report = DubOutput['report']

/** Results of the steps of a dub. */
export interface DubResults {
  readonly heard: HeardSource
  readonly spoken: SpokenDub
  readonly rendered: RenderedDub
}

/** Returns the report of a dub. */
export function dubReport(results: DubResults, job: DubJob): Report {
  const { heard, spoken, rendered } = results
  const { source_lang, target_lang, speaker, fit_policy, subtitle } = job.input
  const { facts } = job.source
  const { freeze_points, ...fitted } = fitReport(rendered.fit)
  const references = sourceReferences(results, job)
  const [main] = references.map(([, reference]) => reference)
  return {
    ...{ input_kind: facts.video ? 'video' : 'audio', source_lang, target_lang, speaker, fit_policy },
    ...{ ...fitted, freeze_points: freeze_points.map(([at, ms]) => [at, ms]) },
    source_duration_ms: Math.round(facts.duration_ms),
    ...{ bgm: musicResult(heard, job), bgm_ratio: heard.sound?.musicShare ?? 0 },
    ...{ subtitle, subtitle_burned: rendered.isBurned },
    ref: main ?? null,
    ...(references.length > 1 && {
      refs: references.map(([number, reference]) => ({ speaker: number, ...reference })),
    }),
    doubtful_lines: doubtfulLines(spoken.lines, rendered.fit),
    engines: {
      ...{ voice: spoken.voice, recogniser: heard.recogniser, translator: spoken.translator },
      separator: heard.sound?.separator ?? null,
    },
  }
}

function musicResult({ sound }: HeardSource, { input, failures }: DubJob): Report['bgm'] {
  if (failures.errors.bgm !== undefined) return 'dropped'
  if (typeof sound?.music === 'string') return input.keep_bgm ? 'kept' : 'dropped'
  // A separator that does not return music cannot find it.
  return sound?.keepsMusic === true ? 'none' : 'dropped'
}

type ReferenceReport = NonNullable<Report['ref']>

/** The cloned reference of each speaker, that of the main speaker first. */
function sourceReferences(
  { heard, spoken }: Pick<DubResults, 'heard' | 'spoken'>,
  { input }: DubJob,
): [speaker: number, ReferenceReport][] {
  if (input.speaker !== cloneSpeaker) return []
  const isOwn = input.ref_file_id === undefined
  return [...spoken.references].map(([speaker, prepared]) => [
    speaker,
    {
      ...referenceReport(prepared, isOwn && heard.isSeparated),
      source: isOwn ? 'source_video' : 'ref_file',
    },
  ])
}

function referenceReport(
  { span, separator, gain, source, confidence, reference }: PreparedReference,
  isSeparated: boolean,
): Omit<ReferenceReport, 'source'> {
  return {
    span_ms: [span.start, span.end].map((at) => Math.round(at * 1000)),
    separated: isSeparated || separator !== null,
    ...{ gain_db: gain, text_source: source, asr_confidence: confidence },
    ...{ ref_text: reference.text, ref_lang: reference.language },
  }
}

/** Returns remarks on lines that were not translated or not spoken. */
export function silentLineNotes(lines: readonly SpokenLine[]): string[] {
  const refusals = lines.flatMap(({ refusal = [] }) => refusal)
  const reasons = summarizeList([...new Set(refusals)], maxReasons)
  return [
    ...silentLinesNote(
      lines.filter(({ text }) => text === '').length,
      'the language model returned no usable translation',
    ),
    ...silentLinesNote(
      refusals.length,
      `the voice did not speak ${refusals.length === 1 ? 'its text' : 'their texts'} (${reasons})`,
    ),
  ]
}

/** Most different reasons of silent lines that are listed. */
const maxReasons = 3

function silentLinesNote(count: number, because: string): string[] {
  if (count === 0) return []
  return [
    `${count === 1 ? '1 line is' : `${count} lines are`} silent, because ${because}: see report.doubtful_lines`,
  ]
}
