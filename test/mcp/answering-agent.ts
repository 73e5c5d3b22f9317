import type { ConnectedAgent } from './agent-session.ts'
import type { ToolResponse } from './stdio-client.ts'

/** A question about lines, as an agent reads it. */
export interface AskedLines {
  readonly question_id: string
  readonly input: { readonly lines: { readonly columns: readonly string[]; readonly rows: readonly Row[] } }
  readonly problems?: readonly string[]
}
type Row = readonly [id: number, text: string]

/** An answer of the tool `answer_questions`. */
export interface GivenAnswer {
  readonly question_id: string
  readonly answer: unknown
}

/** Returns the questions about lines of a reply. */
export function askedLines({ data }: ToolResponse): AskedLines[] {
  const groups = (data['questions'] ?? []) as { readonly questions: readonly AskedLines[] }[]
  return groups.flatMap(({ questions }) => questions)
}

/** Translates the lines of a question, as rows of the columns that its schema requires. */
export function translateRows(
  { question_id, input }: AskedLines,
  translate: (text: string) => string,
): GivenAnswer & { readonly answer: { readonly lines: [number, string, string][] } } {
  const lines = input.lines.rows.map(([id, text]): [number, string, string] => {
    const begins = text.split(/\s+/).slice(0, 2).join(' ')
    return [id, begins, translate(text)]
  })
  return { question_id, answer: { lines } }
}

interface AnsweredTask {
  /** The reply with the task's end. */
  readonly reply: ToolResponse
  /** Calls of `answer_questions`. */
  readonly calls: readonly { readonly answers: readonly GivenAnswer[]; readonly reply: ToolResponse }[]
}

/** Answers the questions of a reply and of those that follow, until the task has ended. */
export async function answerUntilEnded(
  agent: ConnectedAgent,
  first: ToolResponse,
  answer: (question: AskedLines, call: number) => GivenAnswer | undefined,
): Promise<AnsweredTask> {
  const calls: AnsweredTask['calls'][number][] = []
  let reply = first
  for (;;) {
    const { task_id, status } = reply.data
    if (!['queued', 'processing'].includes(String(status))) return { reply, calls }
    const answers = askedLines(reply).flatMap((question) => answer(question, calls.length) ?? [])
    const isAsked = answers.length > 0
    reply = isAsked
      ? await agent.call('answer_questions', { task_id, answers, wait_seconds: 45 })
      : await agent.call('get_task', { task_id, wait_seconds: 45 })
    if (isAsked) calls.push({ answers, reply })
  }
}
