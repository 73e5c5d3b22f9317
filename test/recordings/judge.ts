import type { BreakClass, Rhythm } from '../../src/media/cut/pauses.ts'
import type { TimeSpan } from '../../src/media/speech/speech-types.ts'
import { keptPassages, type RecordingTruth, type TruthPassage, type TruthWord } from './assemble.ts'

/** Most of a word that a cut may remove, seconds. */
const maxWordLoss = 0.02

/** What a pause should be, by the punctuation before it. */
export type PauseTable = Pick<Rhythm, 'breaks' | 'intraGapMax' | 'intraGapTarget'>

/** A pause between two kept passages, seconds. */
export interface JudgedPause {
  /** End of the voice before it in the source. */
  readonly time: number
  readonly breakAfter: BreakClass | null
  /** Pause of the table, as far as the source offers silence. */
  readonly want: number
  readonly got: number
  /** `got` minus `want`. */
  readonly error: number
}

/** Quality of a cut. */
export interface CutJudgement {
  /**
   * Shares of time, 0 to 1: speech of the kept source spans that belongs into the cut, speech that belongs into it and
   * is kept, and their harmonic mean. Speech that is kept twice or out of the order of the script is wrong the second
   * time. Silence, breaths and clicks do not count.
   */
  readonly precision: number
  readonly recall: number
  readonly f1: number
  /** Words that lose more than 20 ms and are not missing, and their share of all kept words. */
  readonly clippedWords: readonly TruthWord[]
  readonly clippedRate: number
  /** Words of which at most 20 ms are kept. */
  readonly missingWords: readonly TruthWord[]
  /** One for each two successive passages of the script that are kept with nothing else between them. */
  readonly pauses: readonly JudgedPause[]
  /** Kept breaths, seconds. */
  readonly breathSeconds: number
}

/** Judges a cut by the source spans that it keeps, in the order of the output. `table` has the wanted pauses. */
export function judgeCut(truth: RecordingTruth, kept: readonly TimeSpan[], table: PauseTable): CutJudgement {
  const wanted = keptPassages(truth)
  const { right, all } = keptSpeech(truth, kept)
  const total = lengths(wanted)
  const [precision, recall] = [all > 0 ? right / all : 1, total > 0 ? right / total : 1]
  const words = wanted.flatMap(({ words: { from, to } }) => truth.words.slice(from, to))
  const losses = words.map((word) => ({ word, length: word.end - word.start, lost: lossOf(word, kept) }))
  const isMissing = ({ length, lost }: { length: number; lost: number }) => length - lost <= maxWordLoss
  const missingWords = losses.filter(isMissing).map(({ word }) => word)
  const clippedWords = losses
    .filter((loss) => loss.lost > maxWordLoss + tolerance && !isMissing(loss))
    .map(({ word }) => word)
  return {
    ...{
      precision,
      recall,
      f1: precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0,
    },
    ...{ clippedWords, missingWords },
    clippedRate: clippedWords.length / Math.max(1, words.length - missingWords.length),
    pauses: judgePauses(truth, kept, table),
    breathSeconds: truth.breaths.reduce((sum, breath) => sum + overlapAll(breath, kept), 0),
  }
}

/** Tolerance for binary rounding, seconds. */
const tolerance = 1e-6

function overlap(one: TimeSpan, other: TimeSpan): number {
  return Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start))
}

function overlapAll(span: TimeSpan, others: readonly TimeSpan[]): number {
  return others.reduce((sum, other) => sum + overlap(span, other), 0)
}

function lengths(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0)
}

/** Part of a span that no kept span has, seconds. */
function lossOf(span: TimeSpan, kept: readonly TimeSpan[]): number {
  let lost = span.end - span.start
  let reached = span.start
  for (const { start, end } of kept.toSorted((one, other) => one.start - other.start)) {
    const from = Math.max(start, reached)
    const to = Math.min(end, span.end)
    if (to <= from) continue
    lost -= to - from
    reached = to
  }
  return lost
}

/** A stretch of a passage in the output. */
interface KeptStretch extends TimeSpan {
  readonly passage: TruthPassage
}

/** Stretches of passages that kept spans have, in the order of the output; source seconds. */
function keptStretches({ passages }: RecordingTruth, kept: readonly TimeSpan[]): KeptStretch[] {
  return kept.flatMap((span) =>
    passages
      .filter((passage) => overlap(passage, span) > tolerance)
      .map((passage) => ({
        passage,
        start: Math.max(passage.start, span.start),
        end: Math.min(passage.end, span.end),
      })),
  )
}

/** Seconds of speech in the output, and those that belong there, the first time and in the order of the script. */
function keptSpeech(truth: RecordingTruth, kept: readonly TimeSpan[]): { right: number; all: number } {
  const stretches = keptStretches(truth, kept)
  const ordered = longestOrdered(stretches.filter(({ passage }) => passage.kept))
  return { right: lengths(ordered), all: lengths(stretches) }
}

/** Stretches of the greatest length together that are in the order of the script and do not overlap. */
function longestOrdered(stretches: readonly KeptStretch[]): KeptStretch[] {
  const best: { length: number; before: number }[] = []
  for (const [index, stretch] of stretches.entries()) {
    let [length, before] = [0, -1]
    for (let other = 0; other < index; other += 1) {
      const earlier = stretches[other]
      if (earlier && isBefore(earlier, stretch) && (best[other]?.length ?? 0) > length)
        [length, before] = [best[other]?.length ?? 0, other]
    }
    best.push({ length: length + stretch.end - stretch.start, before })
  }
  let at = best.reduce((top, { length }, index) => (length > (best[top]?.length ?? 0) ? index : top), 0)
  const chosen: KeptStretch[] = []
  while (at >= 0) {
    const stretch = stretches[at]
    if (stretch) chosen.unshift(stretch)
    at = best[at]?.before ?? -1
  }
  return chosen
}

function isBefore(one: KeptStretch, other: KeptStretch): boolean {
  if (one.passage === other.passage) return one.end <= other.start + tolerance
  return one.passage.scriptWord < other.passage.scriptWord
}

function judgePauses(truth: RecordingTruth, kept: readonly TimeSpan[], table: PauseTable): JudgedPause[] {
  const wanted = keptPassages(truth)
  const stretches = keptStretches(truth, kept)
  return wanted.flatMap((before, index) => {
    const after = wanted[index + 1]
    const last = stretches.findLastIndex(({ passage }) => passage === before)
    if (!after || last < 0 || stretches[last + 1]?.passage !== after) return []
    const [from, to] = [stretches[last], stretches[last + 1]]
    if (!from || !to) return []
    const got = outputTime(to.start, { kept, side: 'start' }) - outputTime(from.end, { kept, side: 'end' })
    const offered = offeredSilence(truth, before, after)
    const { breakAfter } = before
    const want =
      breakAfter === null
        ? offered > table.intraGapMax
          ? table.intraGapTarget
          : offered
        : Math.min(table.breaks[breakAfter], offered)
    return [{ time: before.end, breakAfter, want, got, error: got - want }]
  })
}

/** Time on the output of the start or end of kept sound, seconds. The last span that has it counts. */
function outputTime(
  time: number,
  { kept, side }: { readonly kept: readonly TimeSpan[]; readonly side: 'start' | 'end' },
): number {
  const inside = side === 'start' ? time + 2 * tolerance : time - 2 * tolerance
  const index = kept.findLastIndex(({ start, end }) => start <= inside && end >= inside)
  return lengths(kept.slice(0, index)) + time - (kept[index]?.start ?? 0)
}

/** Silence that the source has after a passage and before the next one of the script, without any other voice. */
function offeredSilence(
  { passages, seconds }: RecordingTruth,
  before: TruthPassage,
  after: TruthPassage,
): number {
  const [at, next] = [passages.indexOf(before), passages.indexOf(after)]
  const tail = (passages[at + 1]?.start ?? seconds) - before.end
  if (next === at + 1) return tail
  return tail + after.start - (passages[next - 1]?.end ?? 0)
}

/** Sound that reaches this far beyond a seam is compared with it, and the seam itself; seconds. */
const [clickWindow, seamWindow] = [0.03, 0.002]
/** Least jump of a click, and the factor to the largest jump around it. */
const [minJump, clickFactor] = [0.02, 3]

/** A jump of neighbouring samples at a seam. */
export interface Click {
  /** Seam, seconds of the output. */
  readonly time: number
  /** Difference of samples, 0 to 2. */
  readonly jump: number
}

/**
 * Returns the seams of a rendered sound with a click: samples within 2 ms that differ by at least 0.02 and three times as
 * much as any within 30 ms around. `seams` are times of the output, seconds.
 */
export function findClicks(
  { samples, rate }: { readonly samples: Float32Array; readonly rate: number },
  seams: readonly number[],
): Click[] {
  const jumpBetween = (from: number, to: number) => {
    let largest = 0
    for (let at = Math.max(1, Math.round(from * rate)); at < Math.min(samples.length, to * rate); at += 1)
      largest = Math.max(largest, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)))
    return largest
  }
  return seams.flatMap((time) => {
    const jump = jumpBetween(time - seamWindow, time + seamWindow)
    const around = Math.max(
      jumpBetween(time - clickWindow, time - seamWindow),
      jumpBetween(time + seamWindow, time + clickWindow),
    )
    return jump >= minJump && jump >= clickFactor * around ? [{ time, jump }] : []
  })
}

/** Returns the seams between kept spans, seconds of the output. */
export function seamsOf(kept: readonly TimeSpan[]): number[] {
  return kept.slice(1).map((_, index) => lengths(kept.slice(0, index + 1)))
}
