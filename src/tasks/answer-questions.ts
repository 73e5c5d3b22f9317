import type { Caller } from '../accounts/keys.ts'
import type { AnswerOutcome, AnswersReport, QuestionAnswers } from '../contract/questions.ts'
import { isTerminal } from '../contract/task.ts'
import { lockAccount } from '../db/queries.ts'
import type { TaskRow, WriteTransaction } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { type AnswerJob, type CheckedAnswer, checkAnswers } from './check-answer.ts'
import { recordEvent } from './events.ts'
import { countOpen, openRows, type StoredContent } from './questions.ts'
import { findOwnTask, toTaskRecord } from './records.ts'
import type { Service } from './service.ts'

/** Rejected answers after which a question has no usable answer. */
const maxRejections = 3

/** Answers to questions of a task. */
interface TaskAnswers {
  readonly id: string
  readonly answers: QuestionAnswers
  /** Aborts when the client no longer waits. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Stores answers to questions of one of the caller's tasks. Each is checked alone; a rejected one leaves its question
 * open, and one to a question that is not open is ignored, as when a request is repeated; so is a second one to the same
 * question. The last answer lets the task continue. Throws 6005, and the errors of `checkAnswers`.
 */
export async function answerQuestions(
  service: Service,
  caller: Caller,
  { id, answers, signal }: TaskAnswers,
): Promise<AnswersReport> {
  const task = await findOwnTask(service.db, caller, id)
  if (isTerminal(task.status)) {
    const ignored = answers.map(({ question_id }) => ({ question_id, outcome: 'ignored' as const }))
    return { task_id: id, answers: ignored, questions_open: 0 }
  }
  const open = new Map((await openRows(service.db, id)).map((row) => [row.id, row]))
  const known = await service.db.selectFrom('questions').select('id').where('task_id', '=', id).execute()
  const knownIds = new Set(known.map((row) => row.id))
  const jobs = new Map<string, AnswerJob>()
  for (const { question_id, answer } of answers) {
    const row = open.get(question_id)
    if (!row || jobs.has(question_id)) continue
    const { input, maxTokens } = JSON.parse(row.content) as StoredContent
    jobs.set(question_id, { kind: row.kind, input, maxTokens, answer })
  }
  const checks = await checkAnswers([...jobs.values()], { accountId: caller.accountId, signal })
  const results = new Map([...jobs.keys()].map((question_id, at) => [question_id, checks[at]]))
  const checked = answers.map(({ question_id }, at) => {
    const isFirst = answers.findIndex((one) => one.question_id === question_id) === at
    const check = isFirst ? results.get(question_id) : undefined
    return { question_id, check, isKnown: knownIds.has(question_id) }
  })
  return await recordAnswers(service, task, checked)
}

/** An answer and its check; without a check, its question is not open or was answered twice. */
interface CheckedQuestion {
  readonly question_id: string
  readonly check: CheckedAnswer | undefined
  /** Whether the task has asked it. */
  readonly isKnown: boolean
}

async function recordAnswers(
  service: Service,
  task: TaskRow,
  checked: readonly CheckedQuestion[],
): Promise<AnswersReport> {
  const now = service.clock()
  const recorded = await service.db.transaction().execute(async (trx) => {
    await lockAccount(trx, task.account_id)
    const outcomes: AnswerOutcome[] = []
    for (const one of checked) outcomes.push(await recordAnswer(trx, task.id, one))
    const open = await countOpen(trx, task.id)
    const isChanged = outcomes.some(({ outcome }) => outcome !== 'ignored')
    // A task that is running counts its open questions when its attempt ends.
    const updated = isChanged
      ? await trx
          .updateTable('tasks')
          .set({ questions_open: open, updated_at: now, ...(open === 0 && { ready_at: now }) })
          .where('id', '=', task.id)
          .where('status', '=', 'queued')
          .where('questions_open', '>', 0)
          .returningAll()
          .executeTakeFirst()
      : undefined
    const seq = updated ? await recordEvent(service, trx, { row: updated, now }) : null
    const announce =
      updated && open === 0 ? await service.queue.enqueue(trx, { id: task.id, readyAt: now }) : undefined
    failpoint('questions.answered.before-commit')
    return { outcomes, open, updated, seq, announce }
  })
  failpoint('questions.answered.after-commit')
  const { outcomes, open, updated, seq, announce } = recorded
  announce?.()
  if (updated && seq !== null)
    service.events.publish(updated.account_id, { event: 'status', seq, task: toTaskRecord(updated) })
  return { task_id: task.id, answers: outcomes, questions_open: open }
}

async function recordAnswer(
  trx: WriteTransaction,
  taskId: string,
  { question_id, check, isKnown }: CheckedQuestion,
): Promise<AnswerOutcome> {
  if (!isKnown)
    return { question_id, outcome: 'ignored', problems: ['the task has no question with this id'] }
  const row = await trx
    .selectFrom('questions')
    .select(['rejections', 'state'])
    .where('task_id', '=', taskId)
    .where('id', '=', question_id)
    .executeTakeFirst()
  // Another agent may have answered it meanwhile.
  if (!check || row?.state !== 'open') return { question_id, outcome: 'ignored' }
  const problems = check.problems.length > 0 ? JSON.stringify(check.problems) : null
  const rejections = row.rejections + (check.accepted === undefined ? 1 : 0)
  const state = check.accepted === undefined ? (rejections < maxRejections ? 'open' : 'unusable') : 'answered'
  await trx
    .updateTable('questions')
    .set({ state, answer: check.accepted ?? null, rejections, problems })
    .where('task_id', '=', taskId)
    .where('id', '=', question_id)
    .execute()
  return {
    question_id,
    outcome: check.accepted === undefined ? 'rejected' : 'accepted',
    ...(check.problems.length > 0 && { problems: [...check.problems] }),
  }
}
