import { limitConcurrency } from '../../platform/concurrency.ts'
import { chooseClips, type ClipCandidate } from '../../media/shorts/choose-clips.ts'
import { fitLength, type LengthBounds, unitsLength } from '../../media/shorts/clip-lengths.ts'
import type { ClipUnit } from '../../media/shorts/clip-units.ts'
import { extractiveCandidates, meanRank } from '../../media/shorts/extractive-candidates.ts'
import { selectionWindows } from '../../media/shorts/selection-windows.ts'
import type { IndexRange } from '../../media/speech/align.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import { estimateTokens } from '../language-model/messages.ts'
import { settleQuestions } from './settle-questions.ts'
import {
  highlightsInstructions,
  rankClipsKind,
  rankingInstructions,
  selectHighlightsKind,
} from './questions.ts'

export interface SelectClipsOptions {
  /** Absent: the clips are ranked without a model. */
  readonly model: LanguageModel | undefined
  readonly signal: AbortSignal
  readonly topic: string | undefined
  readonly bounds: LengthBounds
  /** Ranks of the units without a model. */
  readonly ranks: readonly number[]
  /** Called with the completed share of the work, 0 to 1. */
  readonly onShare: (share: number) => void
}

export interface ClipSelection {
  /** In the order of the recording, without overlaps. Scores are 0 to 10. */
  readonly clips: readonly ClipCandidate[]
  /** Why the model's ranking was not used, or not everywhere. */
  readonly degraded: string | undefined
  /** What the model named that became no clip, and why. */
  readonly notes: readonly string[]
}

/** Most tokens of an answer about one window, and of a ranking. */
const answerTokens = { highlights: 900, ranking: 1200 }

/** One clip for this much of a recording at most, seconds and lengths of the longest clip; and most clips of any. */
const clipSpacing = 180
const spacingOfLongest = 2
const maxClips = 30

/** Least score of a clip if others are better, and of a passage that notes count. */
const minScore = 5

/** Candidates that are compared over the whole recording. */
const maxRanked = 60

/** Score of a recording that is a clip as a whole. */
const wholeScore = 5

/** Share of the work that the windows take. */
const windowsShare = 0.8

/**
 * Selects clips: asks the model about overlapping windows, compares what it names over the whole recording, and chooses
 * without overlap. Without a model, or where it fails, the units' own ranks are used.
 */
export async function selectClips(
  units: readonly ClipUnit[],
  { model, ...options }: SelectClipsOptions,
): Promise<ClipSelection> {
  const { bounds, ranks } = options
  const whole = { from: 0, to: units.length }
  const seconds = unitsLength(units, whole)
  if (units.length > 0 && seconds <= bounds.min) {
    return { clips: [{ units: whole, score: wholeScore }], degraded: undefined, notes: [] }
  }
  const spacing = Math.min(clipSpacing, spacingOfLongest * bounds.max)
  const choice = { count: Math.min(maxClips, Math.max(1, Math.ceil(seconds / spacing))), minScore }
  const extractive = () => {
    const candidates = extractiveCandidates(units, ranks, bounds)
    return candidates.length > 0 ? candidates : extractiveCandidates(units, ranks, { ...bounds, min: 0 })
  }
  if (!model) {
    return {
      clips: chooseClips(extractive(), choice),
      degraded: 'the clips were ranked without a language model',
      notes: [],
    }
  }
  const { candidates, unfit, failed, windows } = await askWindows(units, { model, ...options })
  if (failed === windows) {
    const degraded = 'the language model gave no usable ranking'
    return { clips: chooseClips(extractive(), choice), degraded, notes: [] }
  }
  const notes = unfitNotes(unfit, bounds)
  // It may find nothing worth a clip; the best passage is still one.
  if (candidates.length === 0)
    return { clips: chooseClips(extractive(), { ...choice, count: 1 }), degraded: undefined, notes }
  const supported = withUnitRanks(candidates, units, ranks)
  const distinct = withoutRepeats(supported, units)
  const ranked = await rankOverAll(distinct, units, { model, ...options })
  const problems = [
    ...(failed > 0 ? [`no usable answer about ${failed} of ${windows} parts of the recording`] : []),
    ...(ranked ? [] : ['no usable comparison of the clips']),
  ]
  const clips = chooseClips(ranked ?? distinct, choice)
  const possible = [...(ranked ?? distinct), ...distinct.slice(ranked?.length ?? distinct.length)]
  const unlimited = chooseClips(possible, { ...choice, count: possible.length })
  return {
    clips,
    notes: [...notes, ...limitNotes(unlimited.length - clips.length, { count: choice.count, spacing })],
    degraded: problems.length > 0 ? `the language model gave ${problems.join(', and ')}` : undefined,
  }
}

/** Names passages beyond the most clips of a recording. */
function limitNotes(
  left: number,
  { count, spacing }: { readonly count: number; readonly spacing: number },
): string[] {
  if (left <= 0) return []
  const passages = left === 1 ? '1 more passage' : `${left} more passages`
  const limit = count === maxClips ? `${count}` : `${count}, one for each ${Math.round(spacing)} s`
  return [
    `${passages} that the language model named ${left === 1 ? 'is no clip' : 'are not clips'}: a video of this length has at most ${limit}`,
  ]
}

/** Names passages that cannot have the length of a clip. */
function unfitNotes(count: number, { min, max }: LengthBounds): string[] {
  if (count === 0) return []
  const [passages, are, they] =
    count === 1 ? ['1 passage', 'is no clip', 'it'] : [`${count} passages`, 'are not clips', 'they']
  return [
    `${passages} that the language model named ${are}: ${they} could not be cut to a length of ${Math.round(min)} to ${Math.round(max)} s`,
  ]
}

type Asking = Omit<SelectClipsOptions, 'model'> & { readonly model: LanguageModel }

/** Asks about every window at once, as far as the model allows. */
async function askWindows(units: readonly ClipUnit[], { model, signal, topic, bounds, onShare }: Asking) {
  const question = {
    kind: selectHighlightsKind,
    instructions: highlightsInstructions,
    maxTokens: answerTokens.highlights,
  }
  const tokens = units.map(({ text }) => estimateTokens(text) + partTokens)
  const windows = selectionWindows(units, {
    maxTokens: model.inputTokenBudget(question) - framingTokens - estimateTokens(topic ?? ''),
    tokens,
  })
  const limited = limitConcurrency(model.concurrency)
  let done = 0
  const unfit = new Set<string>()
  const answers = await settleQuestions(
    windows.map((window) =>
      limited(async () => {
        const input = {
          topic,
          min_seconds: Math.round(bounds.min),
          max_seconds: Math.round(bounds.max),
          parts: numberedParts(units, window),
        }
        const { clips } = await model.ask({ ...question, input, signal })
        done += 1
        onShare((windowsShare * done) / windows.length)
        const known = clips.filter(
          ({ first, last }) => first >= window.from && last < window.to && last >= first,
        )
        if (clips.length > 0 && known.length === 0) return undefined
        return known.flatMap(({ first, last, score }) => {
          const range = fitLength(units, { from: first, to: last + 1 }, bounds)
          if (range && unitsLength(units, range) >= bounds.min) return [{ units: range, score }]
          if (score >= minScore) unfit.add(`${first}-${last}`)
          return []
        })
      }),
    ),
    signal,
  )
  const failed = answers.filter((answer) => answer === undefined).length
  const candidates = answers.flatMap((answer) => answer ?? [])
  return { candidates, unfit: unfit.size, failed, windows: windows.length }
}

/** Tokens of the number, seconds and syntax of a part, and of the rest of an input. */
const partTokens = 10
const framingTokens = 60

function numberedParts(units: readonly ClipUnit[], { from, to }: IndexRange) {
  return units
    .slice(from, to)
    .map(({ start, end, text }, index) => [from + index, Math.round(end - start), text] as const)
}

/** Share of the units' own ranks in a score: enough to decide between passages that a model scores alike. */
const rankShare = 0.25

/** Candidates whose scores contain the place of their units' ranks among all candidates, 0 to 10. */
function withUnitRanks(
  candidates: readonly ClipCandidate[],
  units: readonly ClipUnit[],
  ranks: readonly number[],
): ClipCandidate[] {
  const means = candidates.map(({ units: range }) => meanRank(units, ranks, range))
  const sorted = means.toSorted((one, other) => one - other)
  return candidates.map((candidate, index) => {
    const place = (10 * (sorted.indexOf(means[index] ?? 0) + 1)) / sorted.length
    return { ...candidate, score: (1 - rankShare) * candidate.score + rankShare * place }
  })
}

/** Share of the shorter one from which two candidates are the same passage. */
const sameShare = 0.6

/** Leaves of candidates that are mostly the same passage the one with the best score; best first. */
function withoutRepeats(candidates: readonly ClipCandidate[], units: readonly ClipUnit[]): ClipCandidate[] {
  const distinct: ClipCandidate[] = []
  for (const candidate of candidates.toSorted((one, other) => other.score - one.score)) {
    const isRepeat = distinct.some(({ units: other }) => {
      const from = Math.max(other.from, candidate.units.from)
      const to = Math.min(other.to, candidate.units.to)
      const shorter = Math.min(unitsLength(units, other), unitsLength(units, candidate.units))
      return to > from && unitsLength(units, { from, to }) >= sameShare * shorter
    })
    if (!isRepeat) distinct.push(candidate)
  }
  return distinct
}

/**
 * Returns the best candidates with scores that are comparable over the recording: the mean of the window's score and
 * that of the comparison. Undefined if the model gives no usable comparison.
 */
async function rankOverAll(
  candidates: readonly ClipCandidate[],
  units: readonly ClipUnit[],
  { model, signal, topic, onShare }: Asking,
): Promise<ClipCandidate[] | undefined> {
  const best = candidates.slice(0, maxRanked)
  if (best.length <= 1) return best
  const question = {
    kind: rankClipsKind,
    instructions: rankingInstructions,
    maxTokens: answerTokens.ranking,
  }
  const room = model.inputTokenBudget(question) - framingTokens - estimateTokens(topic ?? '')
  const each = Math.floor(room / best.length) - partTokens
  const clips = best.map(({ units: range }, id) => ({
    id,
    seconds: Math.round(unitsLength(units, range)),
    text: excerpt(units, range, each),
  }))
  const [answer] = await settleQuestions(
    [model.ask({ ...question, input: { topic, clips }, signal })],
    signal,
  )
  onShare(1)
  if (!answer || !answer.clips.some(({ id }) => id >= 0 && id < best.length)) return undefined
  const scores = new Map(answer.clips.map(({ id, score }) => [id, score]))
  return best.map((candidate, id) => ({
    ...candidate,
    score: (candidate.score + (scores.get(id) ?? candidate.score)) / 2,
  }))
}

/** The beginning and the end of a clip's text, within a number of tokens. */
function excerpt(units: readonly ClipUnit[], { from, to }: IndexRange, maxTokens: number): string {
  const text = units
    .slice(from, to)
    .map((unit) => unit.text)
    .join(' ')
  const tokens = estimateTokens(text)
  if (tokens <= maxTokens) return text
  const letters = [...text]
  const kept = Math.max(20, Math.floor((letters.length * maxTokens) / tokens) - 2)
  const head = Math.ceil((kept * 2) / 3)
  return `${letters.slice(0, head).join('')} … ${letters.slice(letters.length - (kept - head)).join('')}`
}
