import { parseJson } from '../contract/bounded-json.ts'
import { maxIssues, parseAnswer } from '../engines/language-model/parse-answer.ts'
import { findWrongRows, fromTables } from '../contract/question-tables.ts'
import { answerSchemaOf, questionKinds } from '../engines/question-kinds.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { runInThread } from '../threads/run-in-thread.ts'

/** An answer of an agent to a question. */
export interface AnswerJob {
  /** Name of the kind of question. */
  readonly kind: string
  readonly input: Readonly<Record<string, unknown>>
  /** As the agent gave it: an object, also with lists as tables, or a text that contains one. */
  readonly answer: unknown
}

/** The accepted answer as JSON, and what is missing in it; without `accepted`, what is wrong. */
export interface CheckedAnswer {
  readonly accepted?: string
  readonly problems: readonly string[]
}

/** Size of an answer up to which it is checked in this thread, characters of JSON. */
const maxCharactersAtOnce = 64 * 1024

/** One large answer of an account at a time. */
const oneAtATime = limitPerAccount({ limit: 1, name: 'large answers' })

/** Checks an answer by the schema and the check of its kind; in a thread if it is large. */
export async function checkAnswer(accountId: number, job: AnswerJob): Promise<CheckedAnswer> {
  if (JSON.stringify(job.answer).length <= maxCharactersAtOnce) return checkAnswerHere(job)
  const module = new URL('./check-answer-thread', import.meta.url)
  return await oneAtATime(accountId, () => runInThread<CheckedAnswer, AnswerJob>({ module, job }))
}

/** Checks an answer in this thread. */
export function checkAnswerHere({ kind: name, input, answer }: AnswerJob): CheckedAnswer {
  const kind = questionKinds.get(name)
  if (!kind) return { problems: [`questions of the kind ${name} are not known to this version`] }
  const given = typeof answer === 'string' ? (parseJson(answer) ?? answer) : answer
  const schema = answerSchemaOf(name)
  const wrongRows = findWrongRows(schema, given)
  if (wrongRows.length > 0) return { problems: wrongRows.slice(0, maxIssues) }
  const text = typeof given === 'string' ? given : JSON.stringify(fromTables(schema, given) ?? null)
  const parsed = parseAnswer(kind.schema, text)
  if ('issues' in parsed) return { problems: parsed.issues }
  const { isUsable, problems } = kind.check(input, parsed.answer)
  return isUsable ? { accepted: JSON.stringify(parsed.answer), problems } : { problems }
}
