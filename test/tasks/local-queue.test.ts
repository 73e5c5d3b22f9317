import { describe } from 'vitest'
import { ensureAccount } from '../../src/accounts/accounts.ts'
import { priorities } from '../../src/contract/task.ts'
import { openDatabase } from '../../src/db/open.ts'
import { createLocalQueue } from '../../src/queue/local-queue.ts'
import { testQueueProperties, type QueueFixture } from './queue-properties.ts'

async function open(): Promise<QueueFixture> {
  const db = await openDatabase({ path: ':memory:' })
  for (const id of [1, 2, 3]) await ensureAccount(db, { id, name: `test ${id}`, now: 0 })
  let now = 0
  const queue = createLocalQueue({
    db,
    clock: () => now,
    runningPerKey: 1,
    onError: (error) => {
      throw error
    },
  })
  return {
    queue,
    setClock: (to) => {
      now = to
    },
    async add({ id, priority = 'normal', readyAt = 0, accountId = 1 }) {
      const ring = await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('tasks')
          .values({
            id,
            account_id: accountId,
            type: 'test',
            status: 'queued',
            priority: priorities.indexOf(priority),
            progress: 0,
            input: '{}',
            output: null,
            credits: 0,
            estimated_ms: 0,
            estimated_wait_ms: 0,
            attempts: 0,
            ready_at: readyAt,
            created_at: 0,
            updated_at: 0,
            started_at: null,
            finished_at: null,
          })
          .execute()
        return await queue.enqueue(trx, { id, readyAt })
      })
      ring()
    },
    async markStarted(id) {
      await db.updateTable('tasks').set({ status: 'processing' }).where('id', '=', id).execute()
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

describe('the local queue', () => testQueueProperties(open))
