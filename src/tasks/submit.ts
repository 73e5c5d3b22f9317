import * as z from 'zod'
import type { Caller } from '../accounts/keys.ts'
import { hold } from '../accounts/ledger.ts'
import { MediaError } from '../contract/errors.ts'
import { findFileRefs, kindOf, supportedHint, type FileReference } from '../contract/file.ts'
import { newId } from '../contract/id.ts'
import { describeIssues, fixOf, missingFields } from '../contract/issues.ts'
import type { GivenFile, GivenFiles, Operation, OperationModule, Plan } from '../contract/operation.ts'
import { priorities, type Priority, type TaskCreated } from '../contract/task.ts'
import { toMoment } from '../contract/time.ts'
import type { FileRow, NewTaskRow, TaskRow } from '../db/schema.ts'
import { giveFile } from '../files/probe.ts'
import { findFile } from '../files/records.ts'
import { failpoint } from '../platform/failpoint.ts'
import { expectedWait } from './estimate.ts'
import { givenFiles } from './given-files.ts'
import type { Service } from './service.ts'
import { recordEvent, toTaskRecord } from './store.ts'

interface Submission {
  readonly type: string
  readonly body: unknown
  readonly priority: Priority
}

/**
 * Creates a task: validate, check the files, price, then hold the credits and enqueue in one
 * transaction. Throws in the contract's order: 6013, 6016, 6401, 6004, 6014, 6017 and 6021, limits, 6401 of
 * what only these files or parameters need, 6202; an error creates nothing and charges nothing.
 */
export async function submitTask(
  service: Service,
  caller: Caller,
  submission: Submission,
): Promise<TaskCreated> {
  const module = findOperation(service, submission.type)
  const input = validate(module.operation, submission.body)
  const { ready } = await module.run()
  await ready()
  const files = await checkFiles(service, caller, { operation: module.operation, input })
  const { plan } = await module.plan()
  const planned = plan(input, files)
  await ready({ input, files })
  const priority = priorities.indexOf(submission.priority)
  const estimatedWaitMs = await expectedWait(service, priority)
  const row = newTask(service, caller, { type: submission.type, priority, input, planned, estimatedWaitMs })
  const task = await create(service, row, files.ids)
  return created(module.operation, task)
}

function findOperation(service: Service, type: string): OperationModule {
  const module = service.operations.get(type)
  if (module) return module
  const known = [...service.operations.keys()].join(', ')
  throw new MediaError(6016, `there is no task type ${JSON.stringify(type)}; there are: ${known}`, {
    hint: 'Name one of these in the path: /task/{task_type}.',
  })
}

/** Checks a body against an operation's schema. A null at the top level counts as left out. */
export function validate(operation: Operation, body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new MediaError(6016, 'the body must be a JSON object', {
      hint: `Send one such as ${JSON.stringify(operation.examples[0].input)}.`,
    })
  }
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  const missing = missingFields(operation.input, given)
  if (missing.length > 0) throw new MediaError(6013, `required: ${missing.join(', ')}`)
  const parsed = operation.input.safeParse(given)
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error, 'body'), { hint: fixOf(parsed.error) })
}

async function checkFiles(
  service: Service,
  caller: Caller,
  request: { operation: Operation; input: Record<string, unknown> },
): Promise<GivenFiles & { readonly ids: readonly string[] }> {
  const references = findFileRefs(request.operation.input, request.input)
  const ids = [...new Set(references.map((reference) => String(reference.value)))]
  const rows = []
  for (const id of ids)
    rows.push(await findFile(service.db, { accountId: caller.accountId, id, now: service.clock() }))
  for (const row of rows) checkKind(row, references)
  const byId = new Map<string, GivenFile>()
  for (const row of rows) byId.set(row.id, await giveFile(service, row))
  return { ...givenFiles(byId), ids }
}

function checkKind(row: FileRow, references: readonly FileReference[]): void {
  const kind = kindOf(row.ext)
  const refused = references.find(({ value, kinds }) => value === row.id && !kinds.some((k) => k === kind))
  if (!refused) return
  const field = z.core.toDotPath(refused.path)
  throw new MediaError(6014, `${field}: ${row.name} is not ${refused.kinds.join(' or ')}`, {
    hint: supportedHint(refused.kinds),
  })
}

function newTask(
  service: Service,
  caller: Caller,
  made: { type: string; priority: number; input: unknown; planned: Plan; estimatedWaitMs: number },
): NewTaskRow {
  const now = service.clock()
  return {
    id: newId(now),
    account_id: caller.accountId,
    type: made.type,
    status: 'queued',
    priority: made.priority,
    progress: 0,
    input: JSON.stringify(made.input),
    output: null,
    credits: made.planned.credits,
    estimated_ms: Math.ceil(made.planned.seconds * 1000),
    estimated_wait_ms: made.estimatedWaitMs,
    attempts: 0,
    ready_at: now,
    created_at: now,
    updated_at: now,
    started_at: null,
    finished_at: null,
  }
}

async function create(service: Service, task: NewTaskRow, fileIds: readonly string[]): Promise<TaskRow> {
  const result = await service.db.transaction().execute(async (trx) => {
    const next = await hold(trx, {
      accountId: task.account_id,
      taskId: task.id,
      amount: task.credits,
      now: task.created_at,
    })
    const inserted = await trx.insertInto('tasks').values(task).returningAll().executeTakeFirstOrThrow()
    if (fileIds.length > 0) {
      await trx
        .insertInto('task_files')
        .values(fileIds.map((id) => ({ task_id: task.id, file_id: id, role: 'input' as const })))
        .execute()
    }
    await recordEvent(trx, { seq: next, row: inserted, now: task.created_at })
    const announce = await service.queue.enqueue(trx, { id: task.id, readyAt: task.ready_at })
    failpoint('submit.before-commit')
    return { row: inserted, seq: next, announce }
  })
  failpoint('submit.after-commit')
  result.announce()
  service.events.publish(task.account_id, {
    event: 'status',
    seq: result.seq,
    task: toTaskRecord(result.row),
  })
  return result.row
}

const seconds = (milliseconds: number): number => milliseconds / 1000

function created(operation: Operation, row: TaskRow): TaskCreated {
  const extra = operation.createdExtra ?? []
  return {
    task_id: row.id,
    task_type: row.type,
    status: row.status,
    ...(extra.includes('created_at') && { created_at: toMoment(row.created_at) }),
    ...(extra.includes('estimates') && {
      estimated_duration: seconds(row.estimated_ms),
      estimated_queue_wait_duration: seconds(row.estimated_wait_ms),
      estimated_total_duration: seconds(row.estimated_ms + row.estimated_wait_ms),
    }),
  }
}
