import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Caller } from '../accounts/keys.ts'
import { holdCredits } from '../accounts/ledger.ts'
import { MediaError } from '../contract/errors.ts'
import { newId, toTimestamp } from '../contract/fields.ts'
import { type Operation, toListedError } from '../contract/operation.ts'
import { priorities, type Priority, type TaskCreated, type TaskQuote } from '../contract/task.ts'
import { lockAccount } from '../db/queries.ts'
import type { NewTaskRow, TaskRow, WriteTransaction } from '../db/schema.ts'
import { asksLanguageModel, chooseAnswerer } from '../engines/language-model/choose-answerer.ts'
import { findOwnFile } from '../files/records.ts'
import { failpoint } from '../platform/failpoint.ts'
import { type CheckedRequest, checkFields, planRequest, type RequestPlan } from './check-request.ts'
import { currentWaitMs } from './estimate.ts'
import { recordEvent } from './events.ts'
import { type Creation, findRepeated, findUnfinished, storeIdempotencyKey } from './idempotency.ts'
import {
  extractInlineImages,
  type InlineImage,
  recordInlineImages,
  recordWithImages,
  removeUnusedImages,
} from './inline-images.ts'
import { logCreated } from './task-metrics.ts'
import { toTaskRecord } from './records.ts'
import type { Service } from './service.ts'

interface Submission {
  readonly type: string
  readonly body: unknown
  readonly priority: Priority
  /** The caller may repeat the creation with this key for 24 h. */
  readonly idempotencyKey: string | undefined
  /** Whether an unfinished task with the same input may be returned instead of a new one. */
  readonly join: boolean
  /** Whether the caller offers to answer questions to a language model. */
  readonly offersAnswers: boolean
  /** Aborts when the caller no longer waits. */
  readonly signal?: AbortSignal
}

/** Response of a creation; some operations return the id alone (contract 1, section 2.1). */
type CreationResponse = TaskCreated | Pick<TaskCreated, 'task_id' | 'joined'>

interface SubmittedTask {
  readonly row: TaskRow
  /** False where an earlier creation made the task. */
  readonly isNew: boolean
  readonly response: CreationResponse
}

/**
 * Creates a task: checks the fields and inline images, the requirements and the files, prices the work, then holds the credits and
 * enqueues in one transaction. Throws in the contract's order: 6013, 6016, 6401, 6004, 6014, 6017 and 6021,
 * limits, 6016 for the content of texts, 6401 for what only these files or parameters need, 6201 and 6202, each with
 * the code that the operation lists for it. A key with too many queued tasks gets 6032 before 6201. An error creates nothing and charges nothing. A repeated idempotency key
 * returns the first response, even if its files are gone; a joined task is not charged again.
 */
export async function submitTask(
  service: Service,
  caller: Caller,
  submission: Submission,
): Promise<SubmittedTask> {
  return await mapErrors(service, submission.type, async () => {
    const { priority, idempotencyKey, join, signal } = submission
    const request = await checkFields(service, submission)
    const { operation } = request.module
    const images = await extractInlineImages(operation, request.input)
    // Each step on a large body takes up to a tenth of a second: others have their turn in between.
    await nextTurn()
    const creation = await toCreation(service, caller, { ...submission, ...request })
    await nextTurn()

    const repeated = await findRepeated(service.db, creation, { key: idempotencyKey, now: service.clock() })
    if (repeated) return { row: repeated, isNew: false, response: createdResponse(operation, repeated) }

    const { answers_by: answersBy } = creation
    const plan = await planRequest(service, caller, { ...request, priority, answersBy, signal })
    const now = service.clock()
    const task = { ...queuedTask(plan, { priority, now }), ...creation, key_id: caller.keyId }
    const draft = { task, fileIds: plan.fileIds, images, idempotencyKey, join }
    const { row, isJoined } = await insertWithImages(service, draft)
    const response = isJoined
      ? joinedResponse(operation, await withCurrentWait(service, row))
      : createdResponse(operation, row)
    return { row, isNew: row.id === task.id, response }
  })
}

/** The columns by which creations are equal. */
async function toCreation(
  service: Service,
  { accountId }: Caller,
  { type, module, input, offersAnswers }: CheckedRequest & Pick<Submission, 'type' | 'offersAnswers'>,
): Promise<Creation> {
  const answerer = chooseAnswerer(service, offersAnswers)
  const answers_by = answerer !== null && (await asksLanguageModel(module, input)) ? answerer : null
  return { account_id: accountId, type, input: JSON.stringify(input), answers_by }
}

/** Columns of a new task that follow from its plan. */
function queuedTask(
  { credits, plannedMs, workMs, waitMs }: RequestPlan,
  { priority, now }: { readonly priority: Priority; readonly now: number },
) {
  return {
    id: newId(now),
    status: 'queued' as const,
    priority: priorities.indexOf(priority),
    progress: 0,
    output: null,
    credits,
    planned_ms: plannedMs,
    estimated_ms: workMs,
    estimated_wait_ms: waitMs,
    attempts: 0,
    ready_at: now,
    created_at: now,
    updated_at: now,
    started_at: null,
    finished_at: null,
  }
}

/** Runs `work`, and replaces the codes of its errors by those that the operation lists in their place. */
async function mapErrors<T>(service: Service, type: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const module = service.operations.get(type)
    throw module ? toListedError(module.operation, error) : error
  }
}

const seconds = (milliseconds: number): number => milliseconds / 1000

function createdResponse(operation: Operation, row: TaskRow): CreationResponse {
  if (operation.envelope === 'message') return { task_id: row.id }
  const extra = operation.createdExtra ?? []
  return {
    task_id: row.id,
    task_type: row.type,
    // Its status at creation: a repeated creation returns the first response.
    status: 'queued',
    ...(extra.includes('created_at') && { created_at: toTimestamp(row.created_at) }),
    ...(extra.includes('estimates') && estimatedSeconds(row)),
  }
}

function estimatedSeconds({
  estimated_ms: work,
  estimated_wait_ms: wait,
}: Pick<TaskRow, 'estimated_ms' | 'estimated_wait_ms'>): Omit<TaskQuote, 'credits'> {
  return {
    estimated_duration: seconds(work),
    estimated_queue_wait_duration: seconds(wait),
    estimated_total_duration: seconds(work + wait),
  }
}

/** A task that is joined, with its expected wait from now. */
async function withCurrentWait(service: Service, row: TaskRow): Promise<TaskRow> {
  return { ...row, estimated_wait_ms: await currentWaitMs(service, row) }
}

/** Response of a creation that joined a task, with the task's present status. */
function joinedResponse(operation: Operation, row: TaskRow): CreationResponse {
  const response = createdResponse(operation, row)
  return 'status' in response
    ? { ...response, status: row.status, joined: true }
    : { ...response, joined: true }
}

/** Price and expected seconds of a creation. Creates and charges nothing; throws what the creation would. */
export async function quoteTask(
  service: Service,
  caller: Caller,
  submission: Omit<Submission, 'idempotencyKey'>,
): Promise<TaskQuote> {
  const { priority, type, join, signal } = submission
  return await mapErrors(service, type, async () => {
    const request = await checkFields(service, submission)
    await extractInlineImages(request.module.operation, request.input)
    await nextTurn()
    const creation = await toCreation(service, caller, { ...submission, ...request })
    const { answers_by: answersBy } = creation
    const unfinished = join ? await findUnfinished(service.db, creation) : undefined
    if (unfinished) return { credits: 0, ...estimatedSeconds(await withCurrentWait(service, unfinished)) }
    const { credits, workMs, waitMs } = await planRequest(service, caller, {
      ...{ ...request, priority, answersBy, signal },
    })
    return { credits, ...estimatedSeconds({ estimated_ms: workMs, estimated_wait_ms: waitMs }) }
  })
}

/** A checked and priced task before it is stored. */
interface TaskDraft {
  readonly task: NewTaskRow & Creation
  readonly fileIds: readonly string[]
  readonly images: readonly InlineImage[]
  readonly idempotencyKey: string | undefined
  /** Whether an unfinished task with the same input may be returned instead. */
  readonly join: boolean
}

interface InsertTaskResult {
  readonly row: TaskRow
  /** Whether an unfinished task with the same input was returned. */
  readonly isJoined: boolean
}

/** Stores the images of a task, then the task. Removes those that no task uses: creation failed, or returned another. */
async function insertWithImages(service: Service, draft: TaskDraft): Promise<InsertTaskResult> {
  const { images } = draft
  let isUsed = false
  try {
    const result = await recordWithImages(service, images, () => insertTask(service, draft))
    isUsed = result.row.id === draft.task.id
    return result
  } finally {
    if (!isUsed) await removeUnusedImages(service, images)
  }
}

/**
 * Stores the task, the hold on its credits, its queue entry and its event in one transaction, then publishes the event.
 * Returns the earlier task instead where the key was used for it, or where it may be joined. Throws 6016 for a key of
 * another creation, 6004 for a file that was removed meanwhile, 6032 for a full queue, 6201 and 6202.
 */
async function insertTask(service: Service, draft: TaskDraft): Promise<InsertTaskResult> {
  const { task, fileIds, images, idempotencyKey: key, join } = draft
  const { account_id: accountId, created_at: now } = task
  const inserted = await service.db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId)
    const repeated = await findRepeated(trx, task, { key, now })
    if (repeated) return { row: repeated, isJoined: false }
    const unfinished = join ? await findUnfinished(trx, task) : undefined
    if (unfinished) {
      await storeIdempotencyKey(trx, unfinished, { key, now })
      return { row: unfinished, isJoined: true }
    }
    for (const id of fileIds) await findOwnFile(trx, { accountId, id, now: service.clock() })
    const keyId = task.key_id ?? null
    await requireQueueRoom(trx, { keyId, limit: service.queuedPerKey })
    await holdCredits(trx, { accountId, keyId, taskId: task.id, amount: task.credits, now })
    const row = await trx.insertInto('tasks').values(task).returningAll().executeTakeFirstOrThrow()
    if (fileIds.length > 0) {
      await trx
        .insertInto('task_files')
        .values(fileIds.map((id) => ({ task_id: task.id, file_id: id, role: 'input' as const })))
        .execute()
    }
    await recordInlineImages(trx, service, { task: row, images })
    await storeIdempotencyKey(trx, row, { key, now })
    const seq = await recordEvent(service, trx, { row, now })
    const announce = await service.queue.enqueue(trx, { id: task.id, readyAt: task.ready_at })
    failpoint('submit.before-commit')
    return { row, isJoined: false, seq, announce }
  })
  if (inserted.announce) {
    failpoint('submit.after-commit')
    inserted.announce()
    if (inserted.seq !== null) {
      service.events.publish(accountId, {
        event: 'status',
        seq: inserted.seq,
        task: toTaskRecord(inserted.row),
      })
    }
    logCreated(service, inserted.row)
  }
  return inserted
}

/** Time after which a client may try again when the queue of its key is full, s. */
const fullQueueRetrySeconds = 10

/** Throws 6032 if a key has `limit` queued tasks. */
async function requireQueueRoom(
  trx: WriteTransaction,
  { keyId, limit }: { readonly keyId: string | null; readonly limit: number },
): Promise<void> {
  const { queued } = await trx
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('queued'))
    .where('status', '=', 'queued')
    .where('key_id', '=', keyId)
    .executeTakeFirstOrThrow()
  if (queued < limit) return
  throw new MediaError(6032, `this key has ${queued} queued tasks, and at most ${limit} are allowed`, {
    hint: `Try again in ${fullQueueRetrySeconds} s, when some have started, or cancel those that are not needed.`,
    retryAfter: fullQueueRetrySeconds,
  })
}
