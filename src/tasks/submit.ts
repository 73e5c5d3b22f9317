import type { Caller } from '../accounts/keys.ts'
import { holdCredits } from '../accounts/ledger.ts'
import { newId, toTimestamp } from '../contract/fields.ts'
import { type Operation, toListedError } from '../contract/operation.ts'
import { priorities, type Priority, type TaskCreated, type TaskQuote } from '../contract/task.ts'
import { lockAccount } from '../db/queries.ts'
import type { NewTaskRow, TaskRow } from '../db/schema.ts'
import { findOwnFile } from '../files/records.ts'
import { failpoint } from '../platform/failpoint.ts'
import { checkFields, planRequest } from './check-request.ts'
import { recordEvent } from './events.ts'
import { findRepeated, findUnfinished, storeIdempotencyKey } from './idempotency.ts'
import { logCreated } from './metrics.ts'
import { toTaskRecord } from './records.ts'
import type { Service } from './service.ts'

interface Submission {
  readonly type: string
  readonly body: unknown
  readonly priority: Priority
  /** Under which the caller may repeat the creation for 24 h. */
  readonly idempotencyKey: string | undefined
  /** Whether a task of an equal creation that has not ended does as well. */
  readonly join: boolean
}

/** What a creation answers; of some operations the id alone (contract 1, section 2.1). */
type CreationResponse = TaskCreated | Pick<TaskCreated, 'task_id' | 'joined'>

/** A task that a creation led to. */
interface SubmittedTask {
  readonly row: TaskRow
  /** Whether it was made now, rather than by an earlier creation. */
  readonly isNew: boolean
  readonly response: CreationResponse
}

/**
 * Creates a task: validate, check the files, price, estimate, then hold the credits and enqueue in one
 * transaction. Throws in the contract's order: 6032, 6013, 6016, 6401, 6004, 6014, 6017 and 6021, limits, 6016 of
 * what stands in texts, 6401 of what only these files or parameters need, 6201 and 6202, each as the operation's
 * table lists it; an error creates nothing and charges nothing. A creation repeated under its key is answered as the
 * first time, whatever became of its files since; one that may join a task is answered with it, and charges nothing.
 */
export async function submitTask(
  service: Service,
  caller: Caller,
  submission: Submission,
): Promise<SubmittedTask> {
  const {
    row,
    operation,
    isNew: isMade,
    isJoined,
  } = await mapErrors(service, submission.type, () => findOrCreateTask(service, caller, submission))
  return {
    row,
    isNew: isMade,
    response: isJoined ? joinedResponse(operation, row) : createdResponse(operation, row),
  }
}

async function findOrCreateTask(
  service: Service,
  caller: Caller,
  submission: Submission,
): Promise<Omit<SubmittedTask, 'answer'> & { readonly operation: Operation; readonly isJoined: boolean }> {
  const { type, priority, idempotencyKey, join } = submission
  const request = checkFields(service, caller, submission)
  const { operation } = request.module
  const creation = { account_id: caller.accountId, type, input: JSON.stringify(request.input) }
  const use = { key: idempotencyKey, now: service.clock() }
  const repeated = await findRepeated(service.db, creation, use)
  if (repeated) return { row: repeated, operation, isNew: false, isJoined: false }
  const { fileIds, credits, plannedMs, workMs, waitMs } = await planRequest(service, caller, {
    ...request,
    priority,
  })
  const now = service.clock()
  const task: NewTaskRow = {
    id: newId(now),
    ...creation,
    key_id: caller.keyId,
    status: 'queued',
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
  const { row, isJoined } = await insertTask(service, { task, fileIds, idempotencyKey, join })
  return { operation, row, isJoined, isNew: row.id === task.id }
}

/** Does what may be refused, under the codes that the table of a task type lists. */
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
    // What it was then: a repeated creation has the first one's answer.
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

/** The answer of a creation that joined a task, which may be under way by now. */
function joinedResponse(operation: Operation, row: TaskRow): CreationResponse {
  const answer = createdResponse(operation, row)
  return 'status' in answer ? { ...answer, status: row.status, joined: true } : { ...answer, joined: true }
}

/** What the same creation would cost and take, in seconds; nothing is made and nothing charged. Throws as it would. */
export async function quoteTask(
  service: Service,
  caller: Caller,
  submission: Omit<Submission, 'idempotencyKey'>,
): Promise<TaskQuote> {
  const { type, priority, join } = submission
  return await mapErrors(service, type, async () => {
    const request = checkFields(service, caller, submission)
    const creation = { account_id: caller.accountId, type, input: JSON.stringify(request.input) }
    const unfinished = join ? await findUnfinished(service.db, creation) : undefined
    if (unfinished) return { credits: 0, ...estimatedSeconds(unfinished) }
    const { credits, workMs, waitMs } = await planRequest(service, caller, { ...request, priority })
    return { credits, ...estimatedSeconds({ estimated_ms: workMs, estimated_wait_ms: waitMs }) }
  })
}

/** A task to be created, checked and priced. */
interface TaskDraft {
  readonly task: NewTaskRow
  readonly fileIds: readonly string[]
  /** Under which its creation may be repeated. */
  readonly idempotencyKey: string | undefined
  /** Whether a task of an equal creation that has not ended does as well. */
  readonly join: boolean
}

/** The task that a creation led to. */
interface InsertTaskResult {
  readonly row: TaskRow
  /** It was there, of a creation that did not come first. */
  readonly isJoined: boolean
}

/**
 * Creates a task, its hold, its place in the queue and its event in one transaction, then tells
 * followers. Answers the task of an equal creation that came first under the same key, or that may be joined. Throws 6016 for a key of another
 * creation, 6004 for a file that went meanwhile, 6201 and 6202.
 */
async function insertTask(service: Service, draft: TaskDraft): Promise<InsertTaskResult> {
  const { task, fileIds, idempotencyKey: key, join } = draft
  const { account_id: accountId, created_at: now } = task
  const made = await service.db.transaction().execute(async (trx) => {
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
    await holdCredits(trx, { accountId, keyId, taskId: task.id, amount: task.credits, now })
    const row = await trx.insertInto('tasks').values(task).returningAll().executeTakeFirstOrThrow()
    if (fileIds.length > 0) {
      await trx
        .insertInto('task_files')
        .values(fileIds.map((id) => ({ task_id: task.id, file_id: id, role: 'input' as const })))
        .execute()
    }
    await storeIdempotencyKey(trx, row, { key, now })
    const seq = await recordEvent(service, trx, { row, now })
    const announce = await service.queue.enqueue(trx, { id: task.id, readyAt: task.ready_at })
    failpoint('submit.before-commit')
    return { row, isJoined: false, seq, announce }
  })
  if (made.announce) {
    failpoint('submit.after-commit')
    made.announce()
    if (made.seq !== null) {
      service.events.publish(accountId, { event: 'status', seq: made.seq, task: toTaskRecord(made.row) })
    }
    logCreated(service, made.row)
  }
  return made
}
