import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { isQuestionFailure, type LanguageModel, NoUsableAnswer } from '../language-model/language-model.ts'
import { translateQuestion, splitIntoQuestions, type TranslationContext } from './questions.ts'
import { readBrief } from './brief.ts'
import type { LanguagePair } from './validate-translation.ts'

/** Lines in another language. */
export interface TranslateLinesResult {
  /** In the order of the lines; undefined where nothing usable came. */
  readonly lines: readonly (string | undefined)[]
  /** Whether the file could be summed up first: without that, names may differ from line to line. */
  readonly hasBrief: boolean
  /** Whether something had to be asked again in smaller parts. */
  readonly wasAskedAgain: boolean
}

interface TranslateLinesOptions {
  readonly model: LanguageModel
  readonly signal: AbortSignal
  /** Told the share of the work that is done, 0 to 1. */
  readonly onShare: (share: number) => void
}

/** Lines of one question, round by round; the last time warmer, as the same question has the same answer. */
const rounds = [{}, { lines: 10 }, { lines: 1 }, { lines: 1, temperature: 0.7 }]

/** The summing up, as a share of the work. */
const briefShare = 0.05

/**
 * Translates lines one to one. What of an answer can be right is kept, what is missing is asked again in smaller
 * questions, down to single lines. Throws the service's failure where it went away, however much came before it did,
 * and the model's where more than a tenth of the lines came to nothing.
 */
export async function translateLines(
  lines: readonly string[],
  direction: LanguagePair,
  { model, signal, onShare }: TranslateLinesOptions,
): Promise<TranslateLinesResult> {
  const wanted = [...lines.keys()].filter((at) => /[\p{L}\p{N}]/u.test(lines[at] ?? ''))
  const isWanted = new Set(wanted)
  const untold: TranslationContext = { ...direction, lines, brief: undefined }
  // One question shows all there is to know.
  const isShort = splitIntoQuestions(wanted, untold, { model }).length <= 1
  const brief = isShort ? undefined : await readBrief(lines, direction, { model, signal })
  if (!isShort) onShare(briefShare)
  const film: TranslationContext = { ...untold, brief }
  const found = new Map<number, string>()
  const answered = new Set<string>()
  let failure: MediaError | undefined
  let open = wanted
  let round = 0
  for (; round < rounds.length && open.length > 0; round += 1) {
    const { lines: most, ...how } = rounds[round] ?? {}
    const hope = new FailureBudget()
    const inTurn = limitConcurrency(model.concurrency)
    const ask = async (ids: readonly number[]) => {
      const question = JSON.stringify([ids, how])
      if (hope.isExhausted || answered.has(question)) return
      const came = await hope.watch(translateQuestion(ids, film, { model, signal, ...how }), signal)
      if (!came) return
      answered.add(question)
      for (const [at, text] of came) found.set(at, text)
      onShare(briefShare + ((1 - briefShare) * found.size) / wanted.length)
    }
    await Promise.all(splitIntoQuestions(open, film, { model, most }).map((ids) => inTurn(() => ask(ids))))
    open = open.filter((at) => !found.has(at))
    failure = hope.failure ?? failure
    const isLast = open.length > 0 && round === rounds.length - 1
    if (hope.serviceFailure && (hope.isServiceDown || isLast)) throw hope.serviceFailure
  }
  if (open.length > maxUntranslated(wanted.length))
    throw failure ?? unusableTranslationError(model, `${open.length} of ${wanted.length}`)
  return {
    lines: lines.map((line, at) => found.get(at) ?? (isWanted.has(at) ? undefined : line)),
    hasBrief: isShort || brief !== undefined,
    wasAskedAgain: round > 1 || open.length > 0,
  }
}

/** How many lines of so many may keep their own words: a tenth, and of few lines one, but not all. */
const maxUntranslated = (count: number) => Math.min(count - 1, Math.max(1, Math.floor(count / 10)))

function unusableTranslationError({ name }: LanguageModel, lines: string): NoUsableAnswer {
  return new NoUsableAnswer(`${name} gave no usable translation of ${lines} lines`, {
    hint: 'Try again, or set a larger model: "language_model".',
  })
}

/**
 * How many questions may fail: by the service, which has tried again already, with no answer to anything asked since;
 * and by what was answered, in a row.
 */
const maxConsecutiveFailures = { service: 3, answers: 25 }

/** Whether it is worth asking on. */
class FailureBudget {
  /** The last failure, and the last that was the service's. */
  failure: MediaError | undefined
  serviceFailure: MediaError | undefined
  /** Failures of the service, and those of them after which something was asked and answered. */
  #failed = 0
  #forgiven = 0
  #useless = 0

  get isServiceDown(): boolean {
    return this.#failed - this.#forgiven >= maxConsecutiveFailures.service
  }

  get isExhausted(): boolean {
    return this.isServiceDown || this.#useless >= maxConsecutiveFailures.answers
  }

  /** What an asking answers: nothing where the model has no answer; undefined where the service fails. */
  async watch(
    asking: Promise<Map<number, string>>,
    signal: AbortSignal,
  ): Promise<Map<number, string> | undefined> {
    // An answer to what was asked before a failure was seen does not say that the service is back.
    const before = this.#failed
    try {
      const came = await asking
      this.#forgiven = Math.max(this.#forgiven, before)
      this.#useless = came.size > 0 ? 0 : this.#useless + 1
      return came
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
