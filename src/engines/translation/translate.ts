import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import { isOfQuestion, NoAnswer } from '../language-model/no-answer.ts'
import { askLines, questionsOf, type Film } from './ask-lines.ts'
import { readBrief } from './brief.ts'
import type { Direction } from './right-lines.ts'

/** Lines in another language. */
export interface Translated {
  /** In the order of the lines; undefined where nothing usable came. */
  readonly lines: readonly (string | undefined)[]
  /** Whether the file could be summed up first: without that, names may differ from line to line. */
  readonly hasBrief: boolean
  /** Whether something had to be asked again in smaller parts. */
  readonly wasAskedAgain: boolean
}

interface Translating {
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
  direction: Direction,
  { model, signal, onShare }: Translating,
): Promise<Translated> {
  const wanted = [...lines.keys()].filter((at) => /[\p{L}\p{N}]/u.test(lines[at] ?? ''))
  const isWanted = new Set(wanted)
  const untold: Film = { ...direction, lines, brief: undefined }
  // One question shows all there is to know.
  const isShort = questionsOf(wanted, untold, { model }).length <= 1
  const brief = isShort ? undefined : await readBrief(lines, direction, { model, signal })
  if (!isShort) onShare(briefShare)
  const film: Film = { ...untold, brief }
  const found = new Map<number, string>()
  const answered = new Set<string>()
  let failure: MediaError | undefined
  let open = wanted
  let round = 0
  for (; round < rounds.length && open.length > 0; round += 1) {
    const { lines: most, ...how } = rounds[round] ?? {}
    const hope = new Hope()
    const inTurn = limitConcurrency(model.atOnce)
    const ask = async (ids: readonly number[]) => {
      const question = JSON.stringify([ids, how])
      if (hope.isGone || answered.has(question)) return
      const came = await hope.watch(askLines(ids, film, { model, signal, ...how }), signal)
      if (!came) return
      answered.add(question)
      for (const [at, text] of came) found.set(at, text)
      onShare(briefShare + ((1 - briefShare) * found.size) / wanted.length)
    }
    await Promise.all(questionsOf(open, film, { model, most }).map((ids) => inTurn(() => ask(ids))))
    open = open.filter((at) => !found.has(at))
    failure = hope.failure ?? failure
    const isLast = open.length > 0 && round === rounds.length - 1
    if (hope.absence && (hope.isAway || isLast)) throw hope.absence
  }
  if (open.length > mostLeft(wanted.length))
    throw failure ?? unusable(model, `${open.length} of ${wanted.length}`)
  return {
    lines: lines.map((line, at) => found.get(at) ?? (isWanted.has(at) ? undefined : line)),
    hasBrief: isShort || brief !== undefined,
    wasAskedAgain: round > 1 || open.length > 0,
  }
}

/** How many lines of so many may keep their own words: a tenth, and of few lines one, but not all. */
const mostLeft = (count: number) => Math.min(count - 1, Math.max(1, Math.floor(count / 10)))

function unusable({ name }: LanguageModel, lines: string): NoAnswer {
  return new NoAnswer(`${name} gave no usable translation of ${lines} lines`, {
    hint: 'Try again, or set a larger model: "language_model".',
  })
}

/**
 * How many questions may fail: by the service, which has tried again already, with no answer to anything asked since;
 * and by what was answered, in a row.
 */
const patience = { service: 3, answers: 25 }

/** Whether it is worth asking on. */
class Hope {
  /** The last failure, and the last that was the service's. */
  failure: MediaError | undefined
  absence: MediaError | undefined
  /** Failures of the service, and those of them after which something was asked and answered. */
  #failed = 0
  #forgiven = 0
  #useless = 0

  get isAway(): boolean {
    return this.#failed - this.#forgiven >= patience.service
  }

  get isGone(): boolean {
    return this.isAway || this.#useless >= patience.answers
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
      if (isOfQuestion(error)) {
        this.#forgiven = Math.max(this.#forgiven, before)
        this.#useless += 1
        return new Map()
      }
      this.absence = error
      this.#failed += error.retryable ? 1 : patience.service
      return undefined
    }
  }
}
