import type { SubtitleLanguage } from '../../contract/languages.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { cleanDescription, type ClipMetadata } from '../../media/shorts/clip-description.ts'
import type { ClipCandidate } from '../../media/shorts/choose-clips.ts'
import type { ClipUnit } from '../../media/shorts/clip-units.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import { estimateTokens } from '../language-model/messages.ts'
import { languageName } from '../translation/languages.ts'
import { describeClipKind, descriptionInstructions } from './questions.ts'
import { settleQuestions } from './settle-questions.ts'

export interface DescribeClipsOptions {
  readonly model: LanguageModel | undefined
  readonly signal: AbortSignal
  /** Language of the descriptions. */
  readonly outputLanguage: SubtitleLanguage
}

/** A clip with its description. */
export interface DescribedClip extends ClipCandidate {
  /** Absent if the model did not describe it. */
  readonly metadata?: ClipMetadata
  /** Units without which the clip is better. */
  readonly skip: ReadonlySet<number>
}

/** Most tokens of a description. */
const maxTokens = 900

/** Tokens of the number, seconds and syntax of a part. */
const partTokens = 10

/** Describes clips: all at once as far as the model allows. */
export async function describeClips(
  clips: readonly ClipCandidate[],
  units: readonly ClipUnit[],
  { model, signal, outputLanguage }: DescribeClipsOptions,
): Promise<DescribedClip[]> {
  if (!model) return clips.map((clip) => ({ ...clip, skip: new Set() }))
  const limited = limitConcurrency(model.concurrency)
  const question = {
    kind: describeClipKind,
    instructions: descriptionInstructions(languageName(outputLanguage)),
    maxTokens,
  }
  const room = model.inputTokenBudget(question)
  const answers = await settleQuestions(
    clips.map((clip) =>
      limited(() => model.ask({ ...question, input: { parts: partsWithin(units, clip, room) }, signal })),
    ),
    signal,
  )
  return clips.map((clip, index) => {
    const answer = answers[index]
    const metadata = answer && cleanDescription(answer)
    if (!metadata || metadata.title === '') return { ...clip, skip: new Set<number>() }
    return { ...clip, metadata, skip: new Set(answer.skip) }
  })
}

/** The parts of a clip. If they are too long for the model, parts before the last third are left out, the latest first. */
function partsWithin(units: readonly ClipUnit[], { units: { from, to } }: ClipCandidate, room: number) {
  const parts = units
    .slice(from, to)
    .map(({ start, end, text }, index) => [from + index, Math.round(end - start), text] as const)
  const costs = parts.map(([, , text]) => estimateTokens(text) + partTokens)
  let sum = costs.reduce((all, cost) => all + cost, 0)
  const resume = Math.floor((parts.length * 2) / 3)
  let stop = resume
  while (sum > room && stop > 1) {
    stop -= 1
    sum -= costs[stop] ?? 0
  }
  return [...parts.slice(0, stop), ...parts.slice(resume)]
}
