import { availableParallelism } from 'node:os'
import { MediaError } from '../contract/errors.ts'
import { maxIssues, parseAnswer } from '../engines/language-model/parse-answer.ts'
import { parseJson } from '../contract/bounded-json.ts'
import { findWrongRows, fromTables, outlineAnswer } from '../contract/question-tables.ts'
import { answerSchemaOf, questionKinds } from '../engines/question-kinds.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { runInThread } from '../threads/run-in-thread.ts'

/** An answer of an agent to a question. */
export interface AnswerJob {
  /** Name of the kind of question. */
  readonly kind: string
  readonly input: Readonly<Record<string, unknown>>
  /** Maximum tokens of the answer. */
  readonly maxTokens: number
  /** As the agent gave it: an object, also with lists as tables, or a text that contains one. */
  readonly answer: unknown
}

/** The accepted answer as JSON, and what is missing in it; without `accepted`, what is wrong. */
export interface CheckedAnswer {
  readonly accepted?: string
  readonly problems: readonly string[]
}

/** Who waits for a check. */
interface CheckOptions {
  readonly accountId: number
  /** Aborts when the client no longer waits. */
  readonly signal?: AbortSignal | undefined
  /** Time of a check in a thread, ms; 10 s by default. */
  readonly timeLimitMs?: number
}

/** Size of well-formed answers up to which they are checked in this thread, characters of JSON: a few milliseconds. */
const maxCharactersAtOnce = 16 * 1024

/** Most characters of an answer as JSON: several times what its tokens contain in any language. */
const mostCharacters = { perToken: 16, least: 4096 }

/** Answers of one request of an account at a time: others must not wait for those of one account. */
const inTurn = limitPerAccount({ limit: availableParallelism(), accountLimit: 1, name: 'large answers' })

/**
 * Checks answers by the schemas and checks of their kinds; in a thread if they are large together or need repair, which may
 * take minutes for a few kilobytes. Throws 6016 if that takes too long, 6032 if too many requests of the account wait.
 */
export async function checkAnswers(
  jobs: readonly AnswerJob[],
  { accountId, signal, timeLimitMs = 10_000 }: CheckOptions,
): Promise<readonly CheckedAnswer[]> {
  const characters = jobs.reduce((sum, { answer }) => sum + JSON.stringify(answer).length, 0)
  const isQuick = characters <= maxCharactersAtOnce && jobs.every((job) => readWellFormed(job)?.success)
  if (isQuick) return jobs.map(checkAnswerHere)
  const module = new URL('./check-answer-thread', import.meta.url)
  const check = async () => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(checkTimeoutError(timeLimitMs)), timeLimitMs)
    const either = AbortSignal.any([late.signal, ...(signal ? [signal] : [])])
    try {
      return await runInThread<CheckedAnswer[], readonly AnswerJob[]>({ module, job: jobs, signal: either })
    } finally {
      clearTimeout(timer)
    }
  }
  return await inTurn(accountId, check, signal)
}

function checkTimeoutError(timeLimitMs: number): MediaError {
  return new MediaError(6016, `answers: their check took longer than ${timeLimitMs / 1000} s`, {
    hint: 'Send fewer and shorter answers at a time.',
  })
}

/** An answer with JSON in a text parsed, and with lists as tables converted to objects. */
function readGiven({ kind, answer }: AnswerJob): { readonly given: unknown; readonly objects: unknown } {
  const given = typeof answer === 'string' ? (parseJson(answer) ?? answer) : answer
  return { given, objects: fromTables(answerSchemaOf(kind), given) }
}

/** Reads an answer by its schema, without a search for it in a text and without repair; undefined for an unknown kind. */
function readWellFormed(job: AnswerJob) {
  return questionKinds.get(job.kind)?.schema.safeParse(readGiven(job).objects)
}

/** Checks an answer in this thread. */
export function checkAnswerHere(job: AnswerJob): CheckedAnswer {
  const { kind: name, input, maxTokens } = job
  const kind = questionKinds.get(name)
  if (!kind) return { problems: [`questions of the kind ${name} are not known to this version`] }
  const { given, objects } = readGiven(job)
  const text = typeof objects === 'string' ? objects : JSON.stringify(objects ?? null)
  const most = Math.max(mostCharacters.least, mostCharacters.perToken * maxTokens)
  if (text.length > most)
    return {
      problems: [
        `The answer has ${text.length} characters and may have ${most}: its question allows ${maxTokens} tokens.`,
      ],
    }
  const wrongRows = findWrongRows(answerSchemaOf(name), given)
  if (wrongRows.length > 0) return { problems: wrongRows.slice(0, maxIssues) }
  const read = readWellFormed(job)
  const parsed = read?.success === true ? { answer: read.data } : parseAnswer(kind.schema, text)
  if ('issues' in parsed) return { problems: withOutline(parsed.issues, name) }
  const { isUsable, problems } = kind.check(input, parsed.answer)
  return isUsable ? { accepted: JSON.stringify(parsed.answer), problems } : { problems }
}

/** Adds the form of an answer to the last of the issues that it has. */
function withOutline(issues: readonly string[], kind: string): string[] {
  const [last = ''] = issues.slice(-1)
  return [...issues.slice(0, -1), `${last.replace(/\.$/, '')}. Give ${outlineAnswer(answerSchemaOf(kind))}`]
}
