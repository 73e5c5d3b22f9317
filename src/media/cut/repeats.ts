import type { IndexRange } from '../speech/align.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { EditDistances } from './edit-distances.ts'
import { type HeardUnits, heardUnits, indexesOf, wordRange } from './heard-units.ts'
import { isFiller } from './insertions.ts'
import { SharedUnits } from './shared-units.ts'

/** Words that are said again later: an attempt that was given up, or a passage with other words than the last take. */
export interface RepeatedWords extends IndexRange {
  readonly reason: 'retake' | 'misread'
}

/** Silence after which an attempt may end, and a new one begin, seconds: short, because times of words are inexact. */
const attemptPause = 0.1

/** Silence that separates utterances, seconds. */
const utterancePause = 0.35

/** Speech after the start of a passage in which a repetition counts as another take, seconds. */
const retakeWindow = 90

/** The same in units: twice as many as anybody says in that time. More are only in transcripts with wrong times. */
const retakeUnits = 1800

/** Longest attempt, units. */
const maxAttemptUnits = 80

/**
 * Least likeness of a repetition, 0 to 1 (edit distance against the length); that of whole sentences that follow each
 * other, of which the first one is misread; and the least units of such a sentence. Shorter sentences are similar by
 * chance.
 */
const [minLikeness, minMisreadLikeness, minMisreadUnits] = [0.7, 0.5, 4]

/** Largest difference of the lengths of a misread sentence and its repetition. */
const maxLengthDifference = 0.25

/** Least units of an utterance that is compared at any distance. */
const minFarUnits = 5

/** Longest restart within an utterance that is found, units. */
const maxRestartUnits = 8

/** The heard units without hesitations, and where attempts may begin. */
interface Speech {
  /** Number of each unit; equal units have equal numbers. */
  readonly units: Int32Array
  readonly distances: EditDistances
  readonly shared: SharedUnits
  /** Words of each unit. */
  readonly words: readonly IndexRange[]
  /** Silence before each unit, seconds. */
  readonly pauses: readonly number[]
  /** Whether a sentence ends before each unit; the end of the speech ends one. */
  readonly isSentenceStart: readonly boolean[]
  readonly starts: readonly number[]
}

/**
 * Returns the words that are said again, ascending: earlier takes, beginnings that are broken off, misread sentences
 * before their correction, and immediate repetitions of at least two units. Without a script this is all that shows a
 * retake. `ends`: words that end a sentence.
 */
export function findRetakes(
  heard: readonly TimedWord[],
  ends: ReadonlySet<number> = new Set(),
): RepeatedWords[] {
  const speech = speechOf(heardUnits(heard), heard, ends)
  const reasons = new Map<number, RepeatedWords['reason']>()
  const drop = (units: IndexRange, reason: RepeatedWords['reason']) => {
    for (const word of indexesOf(wordRange({ units: [], words: speech.words }, units)))
      if (!reasons.has(word)) reasons.set(word, reason)
  }
  for (let from = 0; from < speech.units.length;) {
    const attempt = findAttempt(speech, from)
    if (attempt) drop({ from, to: attempt.to }, attempt.reason)
    from = attempt?.to ?? nextStart(speech, from)
  }
  for (const utterance of utterances(speech)) {
    if (isSaidLater(speech, utterance)) drop(utterance, 'retake')
    else for (const restart of findRestarts(speech, utterance)) drop(restart, 'retake')
  }
  const ranges: { from: number; to: number; reason: RepeatedWords['reason'] }[] = []
  for (const [word, reason] of [...reasons].toSorted(([one], [other]) => one - other)) {
    const last = ranges.at(-1)
    if (last?.to === word && last.reason === reason) last.to += 1
    else ranges.push({ from: word, to: word + 1, reason })
  }
  return ranges
}

function speechOf(
  { units, words }: HeardUnits,
  heard: readonly TimedWord[],
  ends: ReadonlySet<number>,
): Speech {
  const kept = indexesOf({ from: 0, to: units.length }).filter((unit) => !isFiller(units[unit]?.text ?? ''))
  const ranges = kept.map((unit) => words[unit] ?? { from: 0, to: 0 })
  const isNewWord = ranges.map(({ from }, at) => ranges[at - 1]?.from !== from)
  const numbers = numberUnits(kept.map((unit) => units[unit]?.text ?? ''))
  return {
    units: numbers,
    distances: new EditDistances(numbers),
    shared: new SharedUnits(numbers),
    words: ranges,
    pauses: ranges.map(({ from }, at) =>
      isNewWord[at] ? (heard[from]?.start ?? 0) - (heard[from - 1]?.end ?? -Infinity) : 0,
    ),
    isSentenceStart: ranges.map(
      ({ from }, at) => (isNewWord[at] ?? true) && (from === 0 || ends.has(from - 1)),
    ),
    starts: ranges.map(({ from }) => heard[from]?.start ?? 0),
  }
}

/** Returns the same number for the same texts, from 0. */
function numberUnits(texts: readonly string[]): Int32Array {
  const numbers = new Map<string, number>()
  return Int32Array.from(texts, (text) => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  })
}

/** Whether an attempt may begin with a unit. */
function isStart({ pauses, isSentenceStart }: Speech, unit: number): boolean {
  return (isSentenceStart[unit] ?? false) || (pauses[unit] ?? 0) >= attemptPause
}

function nextStart(speech: Speech, from: number): number {
  let next = from + 1
  while (next < speech.units.length && !isStart(speech, next)) next += 1
  return next
}

/** Finds the attempt that begins with a unit and is taken up again directly after it; the most alike one. */
function findAttempt(
  speech: Speech,
  from: number,
): { readonly to: number; readonly reason: RepeatedWords['reason'] } | undefined {
  const { units, starts, distances: compared } = speech
  let best:
    | { readonly to: number; readonly reason: RepeatedWords['reason']; readonly score: number }
    | undefined
  speech.shared.reset(from)
  for (let to = nextStart(speech, from); to < units.length; to = nextStart(speech, to)) {
    const length = to - from
    if (length > maxAttemptUnits || (starts[to] ?? 0) - (starts[from] ?? 0) > retakeWindow) break
    const part = { from, to }
    const after = {
      from: to,
      to: Math.min(units.length, to + Math.ceil(length * (1 + maxLengthDifference)) + 1),
    }
    const mayBeRetake = anchorReturns(speech, part)
    // Comparing whole attempts at every pause would take minutes for hours of slow speech.
    const mayBeMisread = isRepeatedSentence(speech, part, after)
    if (!mayBeRetake && !mayBeMisread) continue
    const distances = compared.endDistances(part, after, 1)
    // The next comparison changes the distances.
    const precedes = mayBeMisread && precedesCorrection(speech, part, distances)
    const errors = least(distances)
    const likeness = 1 - errors / length
    const score = length - 2 * errors
    const isRetake =
      mayBeRetake &&
      likeness >= minLikeness &&
      (length >= 2 || isCutShort(speech, from, to)) &&
      beginsAlike(speech, part, { after, errors })
    if ((isRetake || precedes) && (!best || score > best.score))
      best = { to, reason: isRetake ? 'retake' : 'misread', score }
  }
  return best
}

/** Units at the start of an attempt that are compared separately. */
const anchorUnits = 4

/** Whether the first units of an attempt are in the speech after it; one of three or four may differ. */
function anchorReturns({ units, distances }: Speech, { from, to }: IndexRange): boolean {
  const length = Math.min(anchorUnits, to - from)
  const allowed = Math.floor((length + 1) / anchorUnits)
  // A longer part of the speech has more errors.
  const end = Math.min(units.length, to + length + allowed)
  return least(distances.endDistances({ from, to: from + length }, { from: to, to: end }, 1)) <= allowed
}

/** Whether everything before the next possible start in an attempt is said again too: it ends no sentence before it. */
function beginsAlike(
  speech: Speech,
  { from, to }: IndexRange,
  { after, errors }: { readonly after: IndexRange; readonly errors: number },
): boolean {
  const next = nextStart(speech, from)
  if (next >= to) return true
  const rest = least(speech.distances.endDistances({ from: next, to }, after, 0))
  return errors - rest <= (next - from) / 2
}

/** Whether a single unit is the start of a longer utterance. */
function isCutShort(speech: Speech, from: number, to: number): boolean {
  const end = nextStart(speech, to)
  return (speech.pauses[to] ?? 0) >= utterancePause && end - to > to - from
}

/** Whether units are a whole sentence that is not too short, with at least half of its units in the speech after it. */
function isRepeatedSentence(
  { isSentenceStart, shared }: Speech,
  { from, to }: IndexRange,
  after: IndexRange,
): boolean {
  if (!isSentenceStart[from]) return false
  const common = shared.extend(to, after.to)
  const length = to - from
  return length >= minMisreadUnits && isSentenceStart[to] === true && common >= minMisreadLikeness * length
}

/** Whether a sentence is followed by a whole one of about the same length with at least half of its words. */
function precedesCorrection(
  { isSentenceStart, units }: Speech,
  { from, to }: IndexRange,
  distances: Int32Array,
): boolean {
  const length = to - from
  return distances.some((errors, count) => {
    const end = to + count
    const isWhole = end === units.length || isSentenceStart[end] === true
    return (
      isWhole &&
      Math.abs(count - length) <= Math.ceil(maxLengthDifference * length) &&
      errors <= (1 - minMisreadLikeness) * length
    )
  })
}

/** Ranges of units between longer silences. */
function utterances({ units, pauses }: Speech): IndexRange[] {
  const starts = indexesOf({ from: 0, to: units.length }).filter(
    (unit) => unit === 0 || (pauses[unit] ?? 0) >= utterancePause,
  )
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? units.length }))
}

/** Whether a long utterance is contained in the speech after it. */
function isSaidLater({ units, starts, distances }: Speech, { from, to }: IndexRange): boolean {
  const length = to - from
  if (length < minFarUnits) return false
  const last = Math.min(units.length, to + retakeUnits)
  let end = to
  while (end < last && (starts[end] ?? 0) - (starts[to - 1] ?? 0) < retakeWindow) end += 1
  // What is missing is an error.
  if (end - to < minLikeness * length) return false
  const errors = least(distances.endDistances({ from, to }, { from: to, to: end }, 0))
  return errors <= (1 - minLikeness) * length
}

function least(distances: Int32Array): number {
  let errors = Infinity
  for (const distance of distances) if (distance < errors) errors = distance
  return errors
}

/** Finds sequences of two or more units in an utterance that are repeated at once; the last one stays. */
function findRestarts({ units }: Speech, { from, to }: IndexRange): IndexRange[] {
  const restarts: IndexRange[] = []
  for (let at = from; at < to;) {
    let length = Math.min(maxRestartUnits, Math.floor((to - at) / 2))
    const repeats = () =>
      units.subarray(at, at + length).every((unit, index) => units[at + length + index] === unit)
    while (length >= 2 && !repeats()) length -= 1
    if (length >= 2) restarts.push({ from: at, to: at + length })
    at += Math.max(1, length >= 2 ? length : 1)
  }
  return restarts
}
