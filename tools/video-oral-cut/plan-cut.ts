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
import type { HeardRecording } from './hear.ts'
import type { OralCutInput } from './plan.ts'

/** A recording with the words and frames that stay. */
export interface OralCut {
  readonly script: string
  readonly selection: TakeSelection
  readonly rate: Rational
  readonly plan: CutPlan
  /** The speaker's own pauses; null if the fixed table is used. */
  readonly profile: PauseProfile | null
}

/** Chooses the takes and plans which frames stay. Throws 6016 if nothing of the script was heard. */
export function planOralCut(
  { transcript, levels }: HeardRecording,
  input: OralCutInput,
  { video, duration_ms }: MediaFacts,
): OralCut {
  const { words } = transcript
  const rebuilt = input.script === undefined ? rebuildScript(transcript) : undefined
  const script = rebuilt?.script ?? input.script ?? ''
  const selection = rebuilt ?? selectTakes(script, words)
  if (selection.kept.length === 0) throw nothingKept(input, words.length)
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
  const end = video ? pictureEnd(video) : seconds
  const plan = planCuts(segments, {
    ...{ rate, rhythm: adapted ?? table },
    mediaFrames: Math.floor(end * hertz(rate) + 1e-6),
    loudness: (time) => levelAt(levels.curve, time),
  })
  return { script, selection, rate, plan, profile: adapted ? profile : null }
}

function nothingKept({ script, la }: OralCutInput, words: number): MediaError {
  const isScript = script !== undefined && words > 0
  const what = isScript
    ? 'script: none of the script was recognised in the footage'
    : 'file_id: no speech was recognised in the footage'
  return new MediaError(6016, what, {
    hint: isScript
      ? `Check that la (${la}) is the language of the footage, and that the script is of this footage.`
      : `Check that somebody speaks in the footage, and that la (${la}) is the language.`,
  })
}
