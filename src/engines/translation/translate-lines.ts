import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { isQuestionFailure, type LanguageModel, NoUsableAnswer } from '../language-model/language-model.ts'
import { translateQuestion, splitIntoQuestions, type TranslationContext } from './questions.ts'
import { readBrief } from './brief.ts'
import type { LanguagePair } from './languages.ts'
import { findLowerCaseWords } from './untranslated.ts'

/** Translated lines. */
export interface TranslateLinesResult {
  /** In the order of the source; undefined for lines without a usable translation. */
  readonly lines: readonly (string | undefined)[]
  /** Whether the file was summarized first: otherwise names may differ from line to line. */
  readonly hasBrief: boolean
  /** Whether lines had to be asked for again in smaller questions. */
  readonly wasAskedAgain: boolean
}

interface TranslateLinesOptions {
  /** About how many characters the translation of each line should have, for speech of the same length. */
  readonly lengths?: readonly (number | undefined)[]
  readonly model: LanguageModel
  readonly signal: AbortSignal
  /** Called with the completed share of the work, 0 to 1. */
  readonly onShare: (share: number) => void
}

/**
 * Lines per question in each round. The last round has a higher temperature, as the same question has the same answer.
 */
const rounds = [{}, { lines: 10 }, { lines: 1 }, { lines: 1, temperature: 0.7 }]

/** Share of the work that the summary takes. */
const briefShare = 0.05

/**
 * Translates lines one to one. Keeps the valid lines of each answer and asks for the others again in smaller questions,
 * down to single lines. Throws the service's error if it stops responding, and the model's error if more than a tenth of
 * the lines have no usable translation.
 */
export async function translateLines(
  lines: readonly string[],
  direction: LanguagePair,
  { model, signal, onShare, lengths }: TranslateLinesOptions,
): Promise<TranslateLinesResult> {
  const translatable = [...lines.keys()].filter((at) => /[\p{L}\p{N}]/u.test(lines[at] ?? ''))
  const isTranslatable = new Set(translatable)
  const lowerCaseWords = findLowerCaseWords(lines)
  const withoutBrief: TranslationContext = { ...direction, lines, lengths, lowerCaseWords, brief: undefined }
  // A single question contains the whole file and needs no summary.
  const isShort = model.remembers || splitIntoQuestions(translatable, withoutBrief, { model }).length <= 1
  const brief = isShort ? undefined : await readBrief(lines, direction, { model, signal })
  if (!isShort) onShare(briefShare)
  const file: TranslationContext = { ...withoutBrief, brief }
  const found = new Map<number, string>()
  const answered = new Set<string>()
  let failure: MediaError | undefined
  let open = translatable
  let round = 0
  for (; round < rounds.length && open.length > 0; round += 1) {
    const { lines: maxLines, ...options } = rounds[round] ?? {}
    const budget = new FailureBudget()
    const limited = limitConcurrency(model.concurrency)
    const ask = async (ids: readonly number[]) => {
      const question = JSON.stringify([ids, options])
      if (budget.isExhausted || answered.has(question)) return
      const translations = await budget.watch(
        translateQuestion(ids, file, { model, signal, ...options }),
        signal,
      )
      if (!translations) return
      answered.add(question)
      for (const [at, text] of translations) found.set(at, text)
      onShare(briefShare + ((1 - briefShare) * found.size) / translatable.length)
    }
    await Promise.all(
      splitIntoQuestions(open, file, { model, maxLines }).map((ids) => limited(() => ask(ids))),
    )
    open = open.filter((at) => !found.has(at))
    failure = budget.failure ?? failure
    const isLast = open.length > 0 && round === rounds.length - 1
    if (budget.serviceFailure && (budget.isServiceDown || isLast)) throw budget.serviceFailure
  }
  if (open.length > maxLostLines(translatable.length))
    throw failure ?? unusableTranslationError(model, `${open.length} of ${translatable.length}`)
  return {
    lines: lines.map((line, at) => found.get(at) ?? (isTranslatable.has(at) ? undefined : line)),
    hasBrief: isShort || brief !== undefined,
    wasAskedAgain: round > 1 || open.length > 0,
  }
}

/** Most lines that may fail before the work fails: a tenth, at least one, but never all. */
export function maxLostLines(count: number): number {
  return Math.min(count - 1, Math.max(1, Math.floor(count / 10)))
}

function unusableTranslationError({ name }: LanguageModel, lines: string): NoUsableAnswer {
  return new NoUsableAnswer(`${name} gave no usable translation of ${lines} lines`, {
    hint: 'Try again, or set a larger model: "language_model".',
  })
}

/**
 * Failures after which no more questions are asked. `service`: failures after retries, without a response to a later
 * question. `answers`: consecutive responses without a usable line.
 */
const maxConsecutiveFailures = { service: 3, answers: 25 }

/** Counts failures to decide whether to ask further questions. */
class FailureBudget {
  /** The last failure, and the last one of the service. */
  failure: MediaError | undefined
  serviceFailure: MediaError | undefined
  /** Failures of the service, and those followed by a response to a later question. */
  #failed = 0
  #forgiven = 0
  #useless = 0

  get isServiceDown(): boolean {
    return this.#failed - this.#forgiven >= maxConsecutiveFailures.service
  }

  get isExhausted(): boolean {
    return this.isServiceDown || this.#useless >= maxConsecutiveFailures.answers
  }

  /** Awaits an answer. Returns an empty map if the model has no usable answer, undefined if the service fails. */
  async watch(
    asking: Promise<Map<number, string>>,
    signal: AbortSignal,
  ): Promise<Map<number, string> | undefined> {
    // A response to a question sent before a failure does not show that the service has recovered.
    const before = this.#failed
    try {
      const translations = await asking
      this.#forgiven = Math.max(this.#forgiven, before)
      this.#useless = translations.size > 0 ? 0 : this.#useless + 1
      return translations
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof MediaError)) throw error
      this.failure = error
      if (isQuestionFailure(error)) {
        this.#forgiven = Math.max(this.#forgiven, before)
        this.#useless += 1
        return new Map()
      }
      this.serviceFailure = error
      this.#failed += error.retryable ? 1 : maxConsecutiveFailures.service
      return undefined
    }
  }
}
