import type { DubLine } from './dub-lines.ts'
import type { Fit, FitAction, FittedLine } from './fit.ts'
import { measureSpeechRates } from './speech-rates.ts'

/** A line of the source with its translation and speech. */
export interface DubbedLine {
  /** Lines are disjoint, in the order of the source. */
  readonly line: DubLine
  readonly text: string
  /** Duration of the speech at speed 1, ms. */
  readonly synth: number
  /** Id of its clip in projects; empty without projects. */
  readonly clipId: string
}

/** A line of the alignment record (contract 3, 4.6). Times are whole milliseconds. */
export interface AlignmentLine {
  readonly index: number
  readonly clip_id: string
  readonly src_text: string
  readonly src_st_ms: number
  readonly src_ed_ms: number
  readonly tgt_text: string
  readonly budget_chars: number
  readonly synth_ms: number
  readonly st_ms: number
  readonly dur_ms: number
  readonly speed: number
  readonly borrowed_before_ms: number
  readonly borrowed_after_ms: number
  readonly yielded_before_ms: number
  readonly yielded_after_ms: number
  readonly delay_ms: number
  readonly pad_before_ms: number
  readonly pad_after_ms: number
  readonly freeze_ms: number
  readonly trim_ms: number
  readonly rewrite_rounds: number
  readonly action: FitAction
}

/** The alignment record: how each line is spoken and placed. */
export interface AlignmentRecord {
  readonly task_type: string
  readonly source_lang: string
  readonly target_lang: string
  readonly lines: readonly AlignmentLine[]
}

/** Returns the alignment record of lines and their fit, which has the same lines. */
export function alignmentRecord(
  head: Omit<AlignmentRecord, 'lines'>,
  lines: readonly DubbedLine[],
  fit: Fit,
): AlignmentRecord {
  const characters = measureSpeechRates(
    lines.map(({ line: { speaker }, text, synth }) => ({ speaker, text, synth })),
  )
  const records = fit.lines.flatMap((fitted, index): AlignmentLine[] => {
    const dubbed = lines[index]
    if (!dubbed) return []
    const { line, text, synth, clipId } = dubbed
    return [
      {
        ...{ index: line.index, clip_id: clipId },
        ...{ src_text: line.text, src_st_ms: line.start, src_ed_ms: line.end, tgt_text: text },
        budget_chars: characters(line.speaker, (line.end - line.start) * fit.ratio),
        ...{ synth_ms: synth, ...placement(fitted) },
      },
    ]
  })
  return { ...head, lines: records }
}

function placement(line: FittedLine) {
  return {
    ...{ st_ms: line.stMs, dur_ms: line.durMs, speed: line.speed },
    ...{ borrowed_before_ms: line.borrowedBeforeMs, borrowed_after_ms: line.borrowedAfterMs },
    ...{ yielded_before_ms: line.yieldedBeforeMs, yielded_after_ms: line.yieldedAfterMs },
    ...{ delay_ms: line.delayMs, pad_before_ms: line.padBeforeMs, pad_after_ms: line.padAfterMs },
    ...{ freeze_ms: line.freezeMs, trim_ms: line.trimMs },
    ...{ rewrite_rounds: line.rewriteRounds, action: line.action },
  }
}

/** Figures of the report that result from the fit (contract 3, 4.6). Times are whole milliseconds. */
export interface FitReport {
  readonly ratio: number
  /** Lines too long even at the greatest speed and with the longest trim. */
  readonly over_band_lines: number
  readonly borrowed_total_ms: number
  readonly yielded_total_ms: number
  /** Lines that start late because of the line before. */
  readonly delayed_lines: number
  readonly rewrite_lines: number
  /** Number of lines by rounds of rewriting. */
  readonly rewrite_rounds_hist: Readonly<Record<'0' | '1' | '2', number>>
  readonly freeze_total_ms: number
  /** Source time and length of each freeze. */
  readonly freeze_points: readonly (readonly [at: number, ms: number])[]
  readonly freeze_cap_hit: boolean
  readonly trimmed_lines: number
  readonly output_duration_ms: number
  readonly lines_count: number
}

/** Returns the figures of the report about a fit: sums and counts of its lines. */
export function fitReport({ lines, ...fit }: Fit): FitReport {
  const sum = (ms: (line: FittedLine) => number) => lines.reduce((total, line) => total + ms(line), 0)
  const count = (is: (line: FittedLine) => boolean) => lines.filter(is).length
  return {
    ratio: fit.ratio,
    over_band_lines: fit.overBandLines,
    borrowed_total_ms: sum(({ borrowedBeforeMs, borrowedAfterMs }) => borrowedBeforeMs + borrowedAfterMs),
    yielded_total_ms: sum(({ yieldedBeforeMs, yieldedAfterMs }) => yieldedBeforeMs + yieldedAfterMs),
    delayed_lines: count(({ delayMs }) => delayMs > 0),
    rewrite_lines: count(({ rewriteRounds }) => rewriteRounds > 0),
    rewrite_rounds_hist: {
      '0': count(({ rewriteRounds }) => rewriteRounds === 0),
      '1': count(({ rewriteRounds }) => rewriteRounds === 1),
      '2': count(({ rewriteRounds }) => rewriteRounds === 2),
    },
    freeze_total_ms: sum(({ freezeMs }) => freezeMs),
    freeze_points: fit.freezePoints.map(({ at, ms }) => [at, ms]),
    freeze_cap_hit: fit.freezeCapHit,
    trimmed_lines: count(({ trimMs }) => trimMs > 0),
    output_duration_ms: fit.duration,
    lines_count: lines.length,
  }
}
