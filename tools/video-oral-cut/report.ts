import type { OutputOf } from '../../src/contract/operation.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import { joinWords } from '../../src/media/speech/words.ts'
import type { IndexRange } from '../../src/media/speech/align.ts'
import type { TimedWord, TimeSpan } from '../../src/media/speech/speech-types.ts'
import type { videoOralCut } from './contract.ts'
import type { HeardRecording } from '../../src/engines/cutting/hear-recording.ts'
import type { OralCut } from './plan-cut.ts'
import type { OralCutInput } from './plan.ts'
import type { VisualAssist } from './visual-assist.ts'

type Report = OutputOf<typeof videoOralCut>['report']

/** Coverage below which `low_coverage` is reported (contract 3, 4.7). */
const lowCoverage = 0.6

/** Time in reports, seconds to the millisecond. */
const toMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000

/** Returns the report of a cut. All times are seconds of the footage. */
export function oralCutReport(
  { transcript }: HeardRecording,
  { script, selection, plan, rate, profile }: OralCut,
  {
    input,
    seconds,
    visual,
  }: { readonly input: OralCutInput; readonly seconds: number; readonly visual?: VisualAssist | undefined },
): Report {
  const { words } = transcript
  const coverage = Math.round(selection.coverage * 1000) / 1000
  return {
    final_script: script,
    script_source: input.script === undefined ? 'rebuilt' : 'user',
    dropped: selection.dropped.map(({ words: range, reason }) => ({
      ...wordsSpan(words, range),
      asr_text: wordsText(words, range),
      reason,
    })),
    uncovered_script: [...selection.uncovered],
    review_points: selection.review.map(({ word, note }) => ({
      time: toMilliseconds(words[word]?.start ?? 0),
      note,
    })),
    insufficient_breaks: plan.insufficientBreaks.map(({ time, want, got }) => ({
      ...{ time: toMilliseconds(time), want: toMilliseconds(want), got: toMilliseconds(Math.max(0, got)) },
    })),
    rhythm_preset: input.rhythm_preset ?? null,
    adaptive_rhythm: profile !== null,
    ...(profile && { pause_profile: roundedProfile(profile) }),
    analysis_degraded: !transcript.timed,
    ...(visual && visualFields(visual)),
    coverage,
    ...(coverage < lowCoverage && { low_coverage: true }),
    duration_before: toMilliseconds(seconds),
    duration_after: toMilliseconds(plan.frames / hertz(rate)),
  }
}

function visualFields({ omissions, recovered, degraded }: VisualAssist): Partial<Report> {
  const rounded = <Span extends TimeSpan>(span: Span) => ({
    ...span,
    ...{ start: toMilliseconds(span.start), end: toMilliseconds(span.end) },
  })
  return {
    suspect_omissions: omissions.map((one) => ({ ...rounded(one), overlap: toMilliseconds(one.overlap) })),
    stt_recovered: recovered.map(rounded),
    visual_assist_degraded: degraded !== null,
  }
}

function roundedProfile(profile: NonNullable<OralCut['profile']>): Report['pause_profile'] {
  return Object.fromEntries(
    Object.entries(profile).map(([key, { median, p75, n }]) => [
      key,
      { median: toMilliseconds(median), p75: toMilliseconds(p75), n },
    ]),
  )
}

/** First start and last end of recognised words, seconds to the millisecond. */
export function wordsSpan(words: readonly TimedWord[], { from, to }: IndexRange) {
  return {
    start: toMilliseconds(words[from]?.start ?? 0),
    end: toMilliseconds(words[to - 1]?.end ?? 0),
  }
}

/** Text of recognised words. */
export function wordsText(words: readonly TimedWord[], { from, to }: IndexRange): string {
  return joinWords(words.slice(from, to).map(({ text }) => text))
}
