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
import { folderBytes } from '../platform/folder.ts'
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

/** Most images of a question, and bytes of each. */
const maxImages = { number: 4, bytes: 2 ** 20 }

const imageTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/webp']

/** Throws 6500 if a question has more or other images than its content may keep. */
function checkImages({ images }: TaskQuestion): void {
  const { number, bytes: most } = maxImages
  if (images.length > number)
    throw new MediaError(6500, `a question has ${images.length} images, and at most ${number} are allowed`)
  for (const { type, bytes } of images) {
    if (!imageTypes.includes(type))
      throw new MediaError(6500, `an image of a question is of the type ${type}`)
    if (bytes.byteLength > most)
      throw new MediaError(
        6500,
        `an image of a question has ${bytes.byteLength} bytes, and at most ${most} are allowed`,
      )
  }
}

async function askQuestions(
  service: Service,
  task: TaskRow,
  questions: readonly TaskQuestion[],
): Promise<QuestionState[]> {
  for (const question of questions) checkImages(question)
  const stored = await knownRows(service.db, task.id)
  const unstored = new Map(questions.filter(({ id }) => !stored.has(id)).map((one) => [one.id, one]))
  const contents = await Promise.all([...unstored.values()].map((one) => storeContent(service, task, one)))
  const rows = await service.db.transaction().execute(async (trx) => {
    await lockAccount(trx, task.account_id)
    await requireProcessing(trx, task.id)
    const known = await knownRows(trx, task.id)
    const added = contents
      .filter(({ id }) => !known.has(id))
      .map((content, at) => ({
        ...{ task_id: task.id, position: known.size + at, ...content },
        ...{ state: 'open' as const, answer: null, problems: null },
      }))
    const open = [...known.values()].filter(({ state }) => state === 'open').length + added.length
    if (open > maxOpenQuestions) {
      throw new MediaError(
        6500,
        `the task asks ${open} questions at once, and at most ${maxOpenQuestions} are allowed`,
      )
    }
    if (added.length > 0) await trx.insertInto('questions').values(added).execute()
    await reopen(
      trx,
      task.id,
      questions.map(({ id }) => id),
    )
    return known
  })
  failpoint('questions.stored')
  return questions.map(({ id }): QuestionState => {
    const row = rows.get(id)
    if (row?.state === 'answered' && row.answer !== null)
      return { state: 'answered', answer: JSON.parse(row.answer) as unknown }
    return { state: row?.state === 'unusable' ? 'unusable' : 'open' }
  })
}

async function knownRows(
  db: Db | WriteTransaction,
  taskId: string,
): Promise<ReadonlyMap<string, Pick<QuestionRow, 'id' | 'state' | 'answer'>>> {
  const rows = await db
    .selectFrom('questions')
    .select(['id', 'state', 'answer'])
    .where('task_id', '=', taskId)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Throws if the task has ended: its questions would never be removed. */
async function requireProcessing(trx: WriteTransaction, taskId: string): Promise<void> {
  const row = await trx.selectFrom('tasks').select('status').where('id', '=', taskId).executeTakeFirst()
  if (row?.status !== 'processing') throw new Error('a task asked after its end')
}

/** Opens those of some questions that an earlier attempt no longer asked. */
async function reopen(trx: WriteTransaction, taskId: string, ids: readonly string[]): Promise<void> {
  await trx
    .updateTable('questions')
    .set({ state: 'open' })
    .where('task_id', '=', taskId)
    .where('state', '=', 'closed')
    .where('id', 'in', [...ids])
    .execute()
}

/** Stores the images of a question durably. Returns its columns. */
async function storeContent(
  service: Service,
  task: TaskRow,
  { id, kind, instructions, input, images, maxTokens }: TaskQuestion,
): Promise<Pick<QuestionRow, 'id' | 'kind' | 'content' | 'bytes'>> {
  const stored: StoredContent['images'][number][] = []
  for (const [at, { type, bytes }] of images.entries()) {
    const name = `question-${id}-${at}`
    await writeDurably(join(stepsFolder(service, task), name), bytes)
    stored.push({ type, name })
  }
  const content = JSON.stringify({ instructions, input, images: stored, maxTokens } satisfies StoredContent)
  return { id, kind, content, bytes: Buffer.byteLength(content) }
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
  const steps_bytes = await folderBytes(stepsFolder(service, task))
  return await transitionTask(service, task, {
    to: 'queued',
    set: {
      steps_bytes,
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
  const row = (await openRows(service.db, task.id)).find(({ id }) => id === asked.questionId)
  const image = row && (JSON.parse(row.content) as StoredContent).images[asked.index]
  if (!image || isTerminal(task.status)) throw new MediaError(6004, 'there is no such image of a question')
  return { type: image.type, bytes: await readFile(join(stepsFolder(service, task), image.name)) }
}
