import type { IndexRange, ReadingAlignment } from '../speech/align.ts'
import { spokenLength } from '../speech/words.ts'
import { indexesOf } from './heard-units.ts'
import { type ScriptText, separatingPause, spreadEvenly } from './restarts.ts'

/** What was read in one go: heard units with the unit of the script of each, ascending; -1 beside the script. */
export interface ReadRun {
  readonly heard: IndexRange
  readonly read: readonly number[]
}

/** Longest words that may be wrong, as spoken: two short words, or seven Chinese or Japanese characters. */
const maxWrongLength = 14

interface HeardText {
  readonly texts: readonly string[]
  /** Silence before each unit, seconds. */
  readonly pauses: readonly number[]
}

/**
 * Returns the runs of an alignment. Wrong words that the script contains elsewhere look like a return to that passage: a
 * short run that follows or precedes an unfinished sentence without a pause, and is of another sentence, is part of that
 * reading, beside the script.
 */
export function joinFalseReturns(
  { units, runs }: ReadingAlignment,
  heard: HeardText,
  { sentences }: Pick<ScriptText, 'sentences'>,
): ReadRun[] {
  const left: ReadRun[] = runs.map((run) => ({
    heard: run.heard,
    read: indexesOf(run.heard).map((unit) => units[unit]?.script ?? -1),
  }))
  const joined: ReadRun[] = []
  for (const [index, run] of left.entries()) {
    const [before, after] = [joined.at(-1), left[index + 1]]
    const isShort = lengthOf(run, heard.texts) <= maxWrongLength
    const passed = isShort && before && after ? passedUnits(before, after, sentences) : undefined
    if (passed && before && after && adjoins(run, after, heard)) {
      const read = spreadEvenly(run.read.length, passed)
      left[index + 1] = joinRuns(joinRuns(before, { heard: run.heard, read }), after)
      joined.pop()
    } else if (
      isShort &&
      before &&
      adjoins(before, run, heard) &&
      leaves(before, run, { sentences, edge: 'end' })
    )
      joined[joined.length - 1] = joinRuns(before, besideScript(run))
    else if (
      isShort &&
      after &&
      adjoins(run, after, heard) &&
      leaves(after, run, { sentences, edge: 'start' })
    )
      left[index + 1] = joinRuns(besideScript(run), after)
    else if (before && adjoins(before, run, heard) && continues(before, run, sentences))
      joined[joined.length - 1] = joinRuns(before, run)
    else joined.push(run)
  }
  return joined
}

function lengthOf({ heard }: ReadRun, texts: readonly string[]): number {
  return indexesOf(heard).reduce((sum, unit) => sum + spokenLength(texts[unit] ?? ''), 0)
}

function adjoins(before: ReadRun, after: ReadRun, { pauses }: HeardText): boolean {
  return before.heard.to === after.heard.from && (pauses[after.heard.from] ?? 0) < separatingPause
}

/** Whether a run is of other sentences than the one that a reading does not finish, or does not begin. */
function leaves(
  { read }: ReadRun,
  run: ReadRun,
  { sentences, edge }: { readonly sentences: readonly number[]; readonly edge: 'start' | 'end' },
): boolean {
  const isRead = (unit: number) => unit >= 0
  const unit = (edge === 'start' ? read.find(isRead) : read.findLast(isRead)) ?? -1
  const sentence = sentences[unit]
  const isUnfinished = sentence !== undefined && sentences[unit + (edge === 'start' ? -1 : 1)] === sentence
  return isUnfinished && run.read.every((other) => other < 0 || sentences[other] !== sentence)
}

/** The units of a sentence between two runs, the first of which reads its start and the second its end. */
function passedUnits(before: ReadRun, after: ReadRun, sentences: readonly number[]) {
  const last = before.read.at(-1) ?? -1
  const end = after.read[0] ?? -1
  const isPassed = last >= 0 && end > last + 1 && sentences[last] === sentences[end]
  return isPassed ? { first: last + 1, end } : undefined
}

/** Whether a run that ends with words beside the script is continued in the same sentence. */
function continues({ read }: ReadRun, run: ReadRun, sentences: readonly number[]): boolean {
  if (read.at(-1) !== -1) return false
  const last = read.findLast((unit) => unit >= 0) ?? -1
  const next = run.read.find((unit) => unit >= 0) ?? -1
  return last >= 0 && next > last && sentences[last] === sentences[next]
}

function besideScript({ heard, read }: ReadRun): ReadRun {
  return { heard, read: read.map(() => -1) }
}

function joinRuns(before: ReadRun, after: ReadRun): ReadRun {
  return { heard: { from: before.heard.from, to: after.heard.to }, read: [...before.read, ...after.read] }
}
