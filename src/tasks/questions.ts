import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { toTimestamp } from '../contract/fields.ts'
import {
  type AskTaskQuestions,
  maxOpenQuestions,
  type OpenQuestion,
  type QuestionList,
  type QuestionState,
  type TaskQuestion,
} from '../contract/questions.ts'
import { isTerminal } from '../contract/task.ts'
import { lockAccount } from '../db/queries.ts'
import type { Db, QuestionRow, TaskRow, WriteTransaction } from '../db/schema.ts'
import { answerSchemaOf } from '../engines/question-kinds.ts'
import { writeDurably } from '../platform/durable.ts'
import { failpoint } from '../platform/failpoint.ts'
import { stepsFolder } from './attempt-folders.ts'
import { findOwnTask } from './records.ts'
import type { Service } from './service.ts'
import { failTask, transitionTask } from './transition.ts'

/** Time that a task waits for answers, ms. */
export const defaultQuestionTimeoutMs = 24 * 3600 * 1000

/** Most times that a task waits for answers. */
const maxSuspensions = 50

/** The stored content of a question. */
export interface StoredContent extends Pick<TaskQuestion, 'instructions' | 'input' | 'maxTokens'> {
  /** Names of its images in the folder of the task's steps. */
  readonly images: readonly { readonly type: TaskQuestion['images'][number]['type']; readonly name: string }[]
}

/** The questions of one attempt of a task. */
export interface AttemptQuestions {
  readonly ask: AskTaskQuestions
  /**
   * Ends an attempt that has asked, at a progress from 0 to 100: the task waits until its open questions are answered.
   * Closes those that the attempt did not ask.
   */
  suspend(progress: number): Promise<TaskRow | null>
}

/** Lets an attempt ask the agent that created its task. */
export function openAttemptQuestions(service: Service, task: TaskRow): AttemptQuestions {
  const asked = new Set<string>()
  return {
    async ask(questions) {
      for (const { id } of questions) asked.add(id)
      return await askQuestions(service, task, questions)
    },
    suspend: (progress) => suspendTask(service, task, { asked, progress }),
  }
}

async function askQuestions(
  service: Service,
  task: TaskRow,
  questions: readonly TaskQuestion[],
): Promise<QuestionState[]> {
  const contents = await Promise.all(questions.map((question) => storeContent(service, task, question)))
  const rows = await service.db.transaction().execute(async (trx) => {
    await lockAccount(trx, task.account_id)
    const known = await trx.selectFrom('questions').selectAll().where('task_id', '=', task.id).execute()
    const ids = new Set(known.map(({ id }) => id))
    const added = questions.flatMap(({ id, kind }, at) => {
      if (ids.has(id)) return []
      ids.add(id)
      return [
        {
          task_id: task.id,
          id,
          position: known.length + at,
          kind,
          content: contents[at] ?? '',
          state: 'open' as const,
          answer: null,
          problems: null,
        },
      ]
    })
    const open = known.filter(({ state }) => state === 'open').length + added.length
    if (open > maxOpenQuestions) {
      throw new MediaError(
        6500,
        `the task asks ${open} questions at once, and at most ${maxOpenQuestions} are allowed`,
      )
    }
    if (added.length > 0) await trx.insertInto('questions').values(added).execute()
    // A question that an earlier attempt no longer asked may be asked again.
    const closed = known.filter(
      ({ id, state }) => state === 'closed' && questions.some((one) => one.id === id),
    )
    for (const { id } of closed) {
      await trx
        .updateTable('questions')
        .set({ state: 'open' })
        .where('task_id', '=', task.id)
        .where('id', '=', id)
        .execute()
    }
    return new Map(known.map((row) => [row.id, row]))
  })
  failpoint('questions.stored')
  return questions.map(({ id }): QuestionState => {
    const row = rows.get(id)
    if (row?.state === 'answered' && row.answer !== null)
      return { state: 'answered', answer: JSON.parse(row.answer) as unknown }
    return { state: row?.state === 'unusable' ? 'unusable' : 'open' }
  })
}

async function storeContent(
  service: Service,
  task: TaskRow,
  { id, instructions, input, images, maxTokens }: TaskQuestion,
): Promise<string> {
  const stored: StoredContent['images'][number][] = []
  for (const [at, { type, bytes }] of images.entries()) {
    const name = `question-${id}-${at}`
    await writeDurably(join(stepsFolder(service, task), name), bytes)
    stored.push({ type, name })
  }
  const content: StoredContent = { instructions, input, images: stored, maxTokens }
  return JSON.stringify(content)
}

async function suspendTask(
  service: Service,
  task: TaskRow,
  { asked, progress }: { readonly asked: ReadonlySet<string>; readonly progress: number },
): Promise<TaskRow | null> {
  if (task.suspensions >= maxSuspensions) {
    const message = `the task waited for answers ${maxSuspensions} times, and asks again`
    return await failTask(service, task, { error: new MediaError(6500, message) })
  }
  const now = service.clock()
  return await transitionTask(service, task, {
    to: 'queued',
    set: {
      suspensions: task.suspensions + 1,
      progress: Math.max(task.progress, progress),
      worked_ms: task.worked_ms + now - (task.started_at ?? now),
      started_at: null,
    },
    async read(trx) {
      await closeOthers(trx, task.id, asked)
      // They may have been answered already.
      const questions_open = await countOpen(trx, task.id)
      return { questions_open, ready_at: questions_open > 0 ? now + service.questionTimeoutMs : now }
    },
  })
}

/** Closes the open questions of a task that its attempt did not ask. */
async function closeOthers(trx: WriteTransaction, taskId: string, asked: ReadonlySet<string>): Promise<void> {
  await trx
    .updateTable('questions')
    .set({ state: 'closed' })
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .where('id', 'not in', [...asked])
    .execute()
}

/** The open questions of a task, in the order of asking. */
export async function openRows(db: Db | WriteTransaction, taskId: string): Promise<QuestionRow[]> {
  return await db
    .selectFrom('questions')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .orderBy('position')
    .execute()
}

/** Number of open questions of a task. */
export async function countOpen(trx: WriteTransaction, taskId: string): Promise<number> {
  const { open } = await trx
    .selectFrom('questions')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  return open
}

/** Lists the open questions of one of the caller's tasks, in the order of asking. Throws 6005. */
export async function listQuestions(service: Service, caller: Caller, id: string): Promise<QuestionList> {
  const task = await findOwnTask(service.db, caller, id)
  const rows = isTerminal(task.status) ? [] : await openRows(service.db, id)
  return {
    task_id: id,
    questions: rows.map(toOpenQuestion),
    ...(task.questions_open > 0 && { answer_before: toTimestamp(task.ready_at) }),
  }
}

function toOpenQuestion({ task_id, id, kind, content, problems }: QuestionRow): OpenQuestion {
  const { instructions, input, images, maxTokens } = JSON.parse(content) as StoredContent
  return {
    ...{ question_id: id, kind, instructions, input, answer_schema: answerSchemaOf(kind) },
    max_answer_tokens: maxTokens,
    ...(images.length > 0 && {
      images: images.map(({ type }, at) => ({ type, url: `/task/${task_id}/questions/${id}/images/${at}` })),
    }),
    ...(problems !== null && { problems: JSON.parse(problems) as string[] }),
  }
}

/** Returns an image of a question. Throws 6005 for an unknown task, 6004 for an unknown question or image. */
export async function readQuestionImage(
  service: Service,
  caller: Caller,
  asked: { readonly taskId: string; readonly questionId: string; readonly index: number },
): Promise<{ readonly type: string; readonly bytes: Buffer }> {
  const task = await findOwnTask(service.db, caller, asked.taskId)
  const row = await service.db
    .selectFrom('questions')
    .selectAll()
    .where('task_id', '=', task.id)
    .where('id', '=', asked.questionId)
    .executeTakeFirst()
  const image = row && (JSON.parse(row.content) as StoredContent).images[asked.index]
  if (!image || isTerminal(task.status)) throw new MediaError(6004, 'there is no such image of a question')
  return { type: image.type, bytes: await readFile(join(stepsFolder(service, task), image.name)) }
}
