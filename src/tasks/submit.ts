import type { Caller } from '../accounts/keys.ts'
import { newId, toTimestamp } from '../contract/fields.ts'
import { asListed, type Operation } from '../contract/operation.ts'
import { priorities, type Priority, type TaskCreated, type TaskQuote } from '../contract/task.ts'
import type { NewTaskRow, TaskRow } from '../db/schema.ts'
import { appraise, checkFields } from './check-request.ts'
import { createTask } from './create.ts'
import { findRepeated, findUnfinished } from './idempotency.ts'
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
type CreationAnswer = TaskCreated | Pick<TaskCreated, 'task_id' | 'joined'>

/** A task that a creation led to. */
interface Submitted {
  readonly row: TaskRow
  /** Whether it was made now, rather than by an earlier creation. */
  readonly isMade: boolean
  readonly answer: CreationAnswer
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
): Promise<Submitted> {
  const { row, operation, isMade, isJoined } = await listing(service, submission.type, () =>
    submit(service, caller, submission),
  )
  return { row, isMade, answer: isJoined ? joined(operation, row) : created(operation, row) }
}

async function submit(
  service: Service,
  caller: Caller,
  submission: Submission,
): Promise<Omit<Submitted, 'answer'> & { readonly operation: Operation; readonly isJoined: boolean }> {
  const { type, priority, idempotencyKey, join } = submission
  const request = checkFields(service, caller, submission)
  const { operation } = request.module
  const creation = { account_id: caller.accountId, type, input: JSON.stringify(request.input) }
  const use = { key: idempotencyKey, now: service.clock() }
  const repeated = await findRepeated(service.db, creation, use)
  if (repeated) return { row: repeated, operation, isMade: false, isJoined: false }
  const { fileIds, credits, plannedMs, workMs, waitMs } = await appraise(service, caller, {
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
  const { row, isJoined } = await createTask(service, { task, fileIds, idempotencyKey, join })
  return { operation, row, isJoined, isMade: row.id === task.id }
}

/** Does what may be refused, under the codes that the table of a task type lists. */
async function listing<T>(service: Service, type: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const module = service.operations.get(type)
    throw module ? asListed(module.operation, error) : error
  }
}

const seconds = (milliseconds: number): number => milliseconds / 1000

function created(operation: Operation, row: TaskRow): CreationAnswer {
  if (operation.envelope === 'message') return { task_id: row.id }
  const extra = operation.createdExtra ?? []
  return {
    task_id: row.id,
    task_type: row.type,
    // What it was then: a repeated creation has the first one's answer.
    status: 'queued',
    ...(extra.includes('created_at') && { created_at: toTimestamp(row.created_at) }),
    ...(extra.includes('estimates') && estimatesOf(row)),
  }
}

function estimatesOf({
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
function joined(operation: Operation, row: TaskRow): CreationAnswer {
  const answer = created(operation, row)
  return 'status' in answer ? { ...answer, status: row.status, joined: true } : { ...answer, joined: true }
}

/** What the same creation would cost and take, in seconds; nothing is made and nothing charged. Throws as it would. */
export async function quoteTask(
  service: Service,
  caller: Caller,
  submission: Omit<Submission, 'idempotencyKey'>,
): Promise<TaskQuote> {
  const { type, priority, join } = submission
  return await listing(service, type, async () => {
    const request = checkFields(service, caller, submission)
    const creation = { account_id: caller.accountId, type, input: JSON.stringify(request.input) }
    const unfinished = join ? await findUnfinished(service.db, creation) : undefined
    if (unfinished) return { credits: 0, ...estimatesOf(unfinished) }
    const { credits, workMs, waitMs } = await appraise(service, caller, { ...request, priority })
    return { credits, ...estimatesOf({ estimated_ms: workMs, estimated_wait_ms: waitMs }) }
  })
}
