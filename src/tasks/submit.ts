import * as z from 'zod'
import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { findFileRefs, kindOf, supportedHint, type FileReference } from '../contract/file.ts'
import { newId } from '../contract/id.ts'
import { readBody } from '../contract/issues.ts'
import type { GivenFile, GivenFiles, Operation, OperationModule } from '../contract/operation.ts'
import { priorities, type Priority, type TaskCreated } from '../contract/task.ts'
import { toMoment } from '../contract/time.ts'
import type { FileRow, NewTaskRow, TaskRow } from '../db/schema.ts'
import { giveFile } from '../files/probe.ts'
import { findFile } from '../files/records.ts'
import { createTask } from './create.ts'
import { estimateTask } from './estimate.ts'
import { givenFiles } from './given-files.ts'
import { findRepeated } from './idempotency.ts'
import type { Service } from './service.ts'

interface Submission {
  readonly type: string
  readonly body: unknown
  readonly priority: Priority
  /** Under which the caller may repeat the creation for 24 h. */
  readonly idempotencyKey: string | undefined
}

/** What a creation answers; of some operations the id alone (contract 1, section 2.1). */
type CreationAnswer = TaskCreated | Pick<TaskCreated, 'task_id'>

/**
 * Creates a task: validate, check the files, price, estimate, then hold the credits and enqueue in one
 * transaction. Throws in the contract's order: 6032, 6013, 6016, 6401, 6004, 6014, 6017 and 6021, limits, 6401 of
 * what only these files or parameters need, 6201 and 6202; an error creates nothing and charges nothing. A
 * creation repeated under its key is answered as the first time, whatever became of its files since.
 */
export async function submitTask(
  service: Service,
  caller: Caller,
  submission: Submission,
): Promise<CreationAnswer> {
  const { type, priority, idempotencyKey } = submission
  const module = findOperation(service, type)
  service.rates.take(caller.keyId, module.operation)
  const input = validate(module.operation, submission.body)
  const creation = { account_id: caller.accountId, type, input: JSON.stringify(input) }
  const use = { key: idempotencyKey, now: service.clock() }
  const repeated = await findRepeated(service.db, creation, use)
  if (repeated) return created(module.operation, repeated)
  const { ready } = await module.run()
  await ready()
  const files = await checkFiles(service, caller, { operation: module.operation, input })
  const { plan } = await module.plan()
  const planned = plan(input, files)
  await ready({ input, files })
  const plannedMs = Math.ceil(planned.seconds * 1000)
  const estimate = await estimateTask(service, { type, plannedMs, priority })
  const now = service.clock()
  const task: NewTaskRow = {
    id: newId(now),
    ...creation,
    key_id: caller.keyId,
    status: 'queued',
    priority: priorities.indexOf(priority),
    progress: 0,
    output: null,
    credits: planned.credits,
    planned_ms: plannedMs,
    estimated_ms: estimate.workMs,
    estimated_wait_ms: estimate.waitMs,
    attempts: 0,
    ready_at: now,
    created_at: now,
    updated_at: now,
    started_at: null,
    finished_at: null,
  }
  return created(module.operation, await createTask(service, { task, fileIds: files.ids, idempotencyKey }))
}

function findOperation(service: Service, type: string): OperationModule {
  const module = service.operations.get(type)
  if (module) return module
  const known = [...service.operations.keys()].join(', ')
  throw new MediaError(6016, `there is no task type ${JSON.stringify(type)}; there are: ${known}`, {
    hint: 'Name one of these in the path: /task/{task_type}.',
  })
}

/** Checks a body against an operation's schema. */
export function validate(operation: Operation, body: unknown): Record<string, unknown> {
  return readBody(operation.input, body, operation.examples[0].input)
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

const seconds = (milliseconds: number): number => milliseconds / 1000

function created(operation: Operation, row: TaskRow): CreationAnswer {
  if (operation.envelope === 'message') return { task_id: row.id }
  const extra = operation.createdExtra ?? []
  return {
    task_id: row.id,
    task_type: row.type,
    // What it was then: a repeated creation has the first one's answer.
    status: 'queued',
    ...(extra.includes('created_at') && { created_at: toMoment(row.created_at) }),
    ...(extra.includes('estimates') && {
      estimated_duration: seconds(row.estimated_ms),
      estimated_queue_wait_duration: seconds(row.estimated_wait_ms),
      estimated_total_duration: seconds(row.estimated_ms + row.estimated_wait_ms),
    }),
  }
}
