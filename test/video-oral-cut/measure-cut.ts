import type { Rational } from '../../src/contract/media-facts.ts'
import { type Rhythm, rhythmTable, type RhythmPreset } from '../../src/media/cut/pauses.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import type { TimeSpan } from '../../src/media/speech/speech-types.ts'
import { readGtrkProject } from '../projects/readers/gtrk.ts'
import { readXmeml } from '../projects/readers/xmeml.ts'
import type { RecordingTruth, TruthPassage } from '../recordings/assemble.ts'
import { type CutJudgement, judgeCut, type JudgedPause } from '../recordings/judge.ts'
import type { RecordingLanguage } from '../recordings/sentences.ts'
import { type RecogniserErrors, usualErrors } from '../recordings/stand-in-recogniser.ts'
import { type CutRecording, cutRecording } from './run-cut.ts'

/** A generated recording, and how it is recognised and cut. */
export interface CutCase {
  readonly language: RecordingLanguage
  readonly seed: number
  readonly withScript: boolean
  readonly rate: Rational
  readonly sentences?: number
  readonly pickups?: number
  readonly preset?: RhythmPreset | undefined
  readonly room?: number
  readonly errors?: RecogniserErrors
  /** Further fields of the request. */
  readonly request?: Readonly<Record<string, unknown>>
}

/** How many of some passages are found: reported as dropped and not in the cut. */
interface FoundPassages {
  readonly found: number
  readonly all: number
  readonly lost: readonly TruthPassage[]
}

/** A cut compared with the truth. */
export interface MeasuredCut extends CutRecording {
  readonly judged: CutJudgement
  readonly kept: readonly TimeSpan[]
  /** Pauses that differ from the table although the footage has the silence, or that the report omits or misstates. */
  readonly wrongPauses: readonly JudgedPause[]
  readonly swallowedFound: FoundPassages
  /** Retakes, restarts and misread passages. */
  readonly attemptsFound: FoundPassages
  /** Seconds of hesitations in the cut. */
  readonly fillerSeconds: number
}

/** Cuts a generated recording by the fixed table, and compares the cut with the truth. */
export async function measureCut(folder: string, options: CutCase): Promise<MeasuredCut> {
  const { language, withScript, preset, request = {}, errors = {} } = options
  const cut = await cutRecording(folder, {
    ...options,
    errors: { ...usualErrors, seed: options.seed, ...errors },
    request: ({ text }) => ({
      ...{ la: language, adaptive_rhythm: false, source_path: '/footage/talk.mp4' },
      ...(withScript && { script: text }),
      ...(preset && { rhythm_preset: preset }),
      ...request,
    }),
  })
  const kept = await keptSpans(cut)
  const { truth } = cut.recording
  const judged = judgeCut(truth, kept, rhythmTable[preset ?? 'default'])
  const isFound = (passage: TruthPassage) =>
    overlapAll(passage, cut.report.dropped) >= 0.5 * secondsOf(passage) &&
    overlapAll(passage, kept) <= 0.1 * secondsOf(passage)
  const find = (passages: readonly TruthPassage[]): FoundPassages => {
    const lost = passages.filter((passage) => !isFound(passage))
    return { found: passages.length - lost.length, all: passages.length, lost }
  }
  return {
    ...{ ...cut, judged, kept },
    wrongPauses: wrongPauses(cut, judged, options),
    swallowedFound: find(truth.passages.filter((_, index) => cut.swallowed.has(index))),
    attemptsFound: find(truth.passages.filter(({ kind }) => kind !== 'speech' && kind !== 'filler')),
    fillerSeconds: truth.passages
      .filter(({ kind }) => kind === 'filler')
      .reduce((sum, filler) => sum + overlapAll(filler, kept), 0),
  }
}

/** Kept source spans of the project, seconds. */
export async function keptSpans(cut: CutRecording): Promise<TimeSpan[]> {
  const isGtrk = cut.files.some(({ format }) => format === 'gtrk')
  const text = await cut.text('project', isGtrk ? 'gtrk' : 'xml')
  const [track] = (isGtrk ? readGtrkProject : readXmeml)(text).tracks
  return (track?.clips ?? []).map(({ from, to }) => ({ start: from.num / from.den, end: to.num / to.den }))
}

function secondsOf({ start, end }: TimeSpan): number {
  return end - start
}

function overlapAll(span: TimeSpan, others: readonly TimeSpan[]): number {
  return others.reduce(
    (sum, { start, end }) => sum + Math.max(0, Math.min(span.end, end) - Math.max(span.start, start)),
    0,
  )
}

/** Distance from the bound of long pauses within sentences at which both values are right, seconds. */
const ambiguousSeconds = 0.02

function wrongPauses(
  { report, recording: { truth } }: CutRecording,
  { pauses }: CutJudgement,
  { rate, preset, withScript }: CutCase,
): JudgedPause[] {
  const rhythm: Rhythm = rhythmTable[preset ?? 'default']
  const frame = 1 / hertz(rate)
  const tolerance = Math.max(0.02, frame / 2 + 0.002)
  return pauses.filter(({ time, breakAfter, want, got, error }) => {
    // A reconstructed script has no paragraphs.
    if (breakAfter === 'paragraph' && !withScript) return false
    const quiet = quietSeconds(truth, time)
    if (breakAfter === null && Math.abs(quiet - rhythm.intraGapMax) < ambiguousSeconds) return false
    if (quiet >= want + 2 * frame) return Math.abs(error) > tolerance
    // With less silence the pause is shorter, and reported.
    const table = breakAfter === null ? want : rhythm.breaks[breakAfter]
    if (got >= table - tolerance) return error > tolerance
    if (breakAfter === null) return false
    const reported = report.insufficient_breaks.find((entry) => Math.abs(entry.time - time) < 0.02)
    return !reported || Math.abs(reported.want - table) > 0.001 || Math.abs(reported.got - got) > tolerance
  })
}

/** Silence beside the voices of a pause up to the next sound, seconds. `time`: end of the voice before it. */
function quietSeconds({ passages, breaths, seconds }: RecordingTruth, time: number): number {
  const before = passages.find(({ end }) => end === time)
  const after = passages
    .filter(({ kept, scriptWord }) => kept && scriptWord > (before?.scriptWord ?? 0))
    .toSorted((one, other) => one.scriptWord - other.scriptWord)[0]
  if (!before || !after) return 0
  const sounds = [...passages, ...breaths]
  const tail = Math.min(seconds, ...sounds.filter(({ start }) => start >= time).map(({ start }) => start))
  const lead = Math.max(0, ...sounds.filter(({ end }) => end <= after.start).map(({ end }) => end))
  return lead <= time ? after.start - time : tail - time + after.start - lead
}
