import type { MediaFacts, Rational } from '../../src/contract/media-facts.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { constantRate, hertz, pictureEnd } from '../../src/media/frame-rate.ts'
import { levelAt } from '../../src/media/cut/edges.ts'
import { type CutPlan, planCuts } from '../../src/media/cut/frames.ts'
import {
  adaptiveFactors,
  adaptRhythm,
  effectiveRhythm,
  pauseProfile,
  type PauseProfile,
} from '../../src/media/cut/pauses.ts'
import { rebuildScript } from '../../src/media/cut/rebuild.ts'
import { measuredPauses, speechSegments } from '../../src/media/cut/segments.ts'
import { selectTakes, type TakeSelection } from '../../src/media/cut/takes.ts'
import { editableRate } from '../../src/media/timeline/project/timecode.ts'
import { hasWords } from '../../src/media/speech/sentences.ts'
import { transcriptFromWords } from '../../src/media/speech/transcript.ts'
import type { HeardRecording } from '../../src/engines/cutting/hear-recording.ts'
import type { OralCutInput } from './plan.ts'

/** A recording with the words and frames that stay. */
export interface OralCut {
  readonly script: string
  readonly selection: TakeSelection
  readonly rate: Rational
  readonly plan: CutPlan
  /** Number of words that are said after the picture ends. They cannot be cut. */
  readonly unseenWords: number
  /** The speaker's own pauses; null if the fixed table is used. */
  readonly profile: PauseProfile | null
}

/**
 * Chooses the takes and plans which frames stay, of what is said before the picture ends. Throws 6016 if nothing of the
 * script was heard there.
 */
export function planOralCut(
  { transcript, levels }: HeardRecording,
  input: OralCutInput,
  { video, duration_ms, cut_off_ms = Infinity }: MediaFacts,
): OralCut {
  const { words } = transcript
  const end = Math.min(video ? pictureEnd(video) : Infinity, duration_ms / 1000, cut_off_ms / 1000)
  const seen = words.filter(({ start }) => start < end)
  const rebuilt =
    input.script === undefined ? rebuildScript(transcriptFromWords(seen, transcript.timed)) : undefined
  const script = rebuilt?.script ?? input.script ?? ''
  const selection = rebuilt ?? selectTakes(script, seen)
  if (!selection.kept.some(({ word }) => hasWords(words[word]?.text ?? '')))
    throw nothingKept(input, { words: words.length, seen: seen.length, end })
  const table = effectiveRhythm(input)
  const seconds = duration_ms / 1000
  const segments = speechSegments(selection.kept, { heard: words, levels, rhythm: table, seconds })
  const profile = pauseProfile(measuredPauses(segments))
  const speechSeconds = segments.reduce((sum, { voiced }) => sum + voiced.end - voiced.start, 0)
  const factor = adaptiveFactors[input.rhythm_preset ?? 'default']
  const adapted = input.adaptive_rhythm
    ? adaptRhythm(table, profile, { factor, given: input, speechSeconds })
    : null
  const rate = editableRate(video ? constantRate(video) : { num: 30, den: 1 })
  const plan = planCuts(segments, {
    ...{ rate, rhythm: adapted ?? table },
    mediaFrames: Math.floor(end * hertz(rate) + 1e-6),
    loudness: (time) => levelAt(levels.curve, time),
  })
  return {
    ...{ script, selection, rate, plan, profile: adapted ? profile : null },
    unseenWords: words.length - seen.length,
  }
}

/** `end`: of the picture, seconds. */
function nothingKept(
  { script, la }: OralCutInput,
  { words, seen, end }: { readonly words: number; readonly seen: number; readonly end: number },
): MediaError {
  if (words > 0 && seen === 0) {
    return new MediaError(6016, `file_id: nothing is said before its picture ends at ${end.toFixed(1)} s`, {
      hint: 'Export the footage again, with its whole picture.',
    })
  }
  if (words > 0 && script !== undefined) {
    return new MediaError(6016, 'script: none of the script was recognised in the footage', {
      hint: `Check that la (${la}) is the language of the footage, and that the script is of this footage.`,
    })
  }
  const what = words === 0 ? 'no speech was recognised' : 'only hesitations or sounds were recognised'
  return new MediaError(6016, `file_id: ${what} in the footage`, {
    hint: `Check that somebody speaks in the footage, and that la (${la}) is the language.`,
  })
}
