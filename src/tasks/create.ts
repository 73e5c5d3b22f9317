import { holdCredits } from '../accounts/ledger.ts'
import { lockAccount } from '../db/queries.ts'
import type { NewTaskRow, TaskRow } from '../db/schema.ts'
import { findOwnFile } from '../files/records.ts'
import { failpoint } from '../platform/failpoint.ts'
import { recordEvent } from './event-log.ts'
import { findRepeated, findUnfinished, rememberKey } from './idempotency.ts'
import { noteCreated } from './journal.ts'
import type { Service } from './service.ts'
import { toTaskRecord } from './store.ts'

/** A task to be created, checked and priced. */
export interface Draft {
  readonly task: NewTaskRow
  readonly fileIds: readonly string[]
  /** Under which its creation may be repeated. */
  readonly idempotencyKey: string | undefined
  /** Whether a task of an equal creation that has not ended does as well. */
  readonly join: boolean
}

/** The task that a creation led to. */
interface Made {
  readonly row: TaskRow
  /** It was there, of a creation that did not come first. */
  readonly isJoined: boolean
}

/**
 * Creates a task, its hold, its place in the queue and its event in one transaction, then tells
 * followers. Answers the task of an equal creation that came first under the same key, or that may be joined. Throws 6016 for a key of another
 * creation, 6004 for a file that went meanwhile, 6201 and 6202.
 */
export async function createTask(service: Service, draft: Draft): Promise<Made> {
  const { task, fileIds, idempotencyKey: key, join } = draft
  const { account_id: accountId, created_at: now } = task
  const made = await service.db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId)
    const repeated = await findRepeated(trx, task, { key, now })
    if (repeated) return { row: repeated, isJoined: false }
    const unfinished = join ? await findUnfinished(trx, task) : undefined
    if (unfinished) {
      await rememberKey(trx, unfinished, { key, now })
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
    await rememberKey(trx, row, { key, now })
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
    noteCreated(service, made.row)
  }
  return made
}
