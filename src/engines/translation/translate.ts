import { MediaError } from '../../contract/errors.ts'
import { atMost } from '../../platform/at-most.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import { NoAnswer } from '../language-model/no-answer.ts'
import { TooLong } from '../language-model/too-long.ts'
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
 * questions, down to single lines. Throws the model's failure where less than half of the lines came.
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
  const film: Film = { ...untold, brief }
  const found = new Map<number, string>()
  const hope = new Hope()
  let open = wanted
  let round = 0
  for (; round < rounds.length && open.length > 0 && !hope.isGone; round += 1) {
    const { lines: most, ...asking } = rounds[round] ?? {}
    const inTurn = atMost(model.atOnce)
    const ask = async (ids: readonly number[]) => {
      if (hope.isGone) return
      for (const [at, text] of await hope.watch(askLines(ids, film, { model, signal, ...asking }), signal))
        found.set(at, text)
      onShare(briefShare + ((1 - briefShare) * found.size) / wanted.length)
    }
    await Promise.all(questionsOf(open, film, { model, most }).map((ids) => inTurn(() => ask(ids))))
    open = open.filter((at) => !found.has(at))
  }
  if (open.length * 2 > wanted.length) throw hope.failure ?? unusable(model)
  return {
    lines: lines.map((line, at) => found.get(at) ?? (isWanted.has(at) ? undefined : line)),
    hasBrief: isShort || brief !== undefined,
    wasAskedAgain: round > 1 || open.length > 0,
  }
}

function unusable({ name }: LanguageModel): NoAnswer {
  return new NoAnswer(`${name} gave no usable translation of most lines`, {
    hint: 'Try again, or set a larger model: "language_model".',
  })
}

/** How many questions in a row may fail: by the service, which has tried again already, and by what was answered. */
const patience = { service: 3, answers: 25 }

/** Whether it is worth asking on. */
class Hope {
  failure: MediaError | undefined
  #services = 0
  #answers = 0

  get isGone(): boolean {
    return this.#services >= patience.service || this.#answers >= patience.answers
  }

  /** What an asking answers; nothing, and less hope, where it fails. */
  async watch(asking: Promise<Map<number, string>>, signal: AbortSignal): Promise<Map<number, string>> {
    try {
      const answered = await asking
      this.#services = 0
      this.#answers = answered.size > 0 ? 0 : this.#answers + 1
      return answered
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof MediaError)) throw error
      this.failure = error
      if (error instanceof TooLong || error instanceof NoAnswer) this.#answers += 1
      else this.#services += error.retryable ? 1 : patience.service
      return new Map()
    }
  }
}
