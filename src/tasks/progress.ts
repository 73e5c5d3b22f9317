import type { TaskRow } from '../db/schema.ts'
import { hasNoEvents } from './events.ts'
import type { Service } from './service.ts'
import { toTaskRecord } from './records.ts'

/** Minimum interval between two records of progress, ms. */
const progressEveryMs = 1_000

/** Returns a function that records a task's progress, 0 to 99, and publishes it. */
export function progressRecorder(service: Service, task: TaskRow): (percent: number) => void {
  let recordedAt = Number.NEGATIVE_INFINITY
  return (percent) => {
    const now = service.clock()
    // Only a completed task has 100.
    const progress = Math.min(percent, 99)
    if (now - recordedAt < progressEveryMs) return
    recordedAt = now
    recordProgress(service, task.id, progress).catch((error: unknown) =>
      service.log.error({ err: error, task_id: task.id }, 'progress was not recorded'),
    )
  }
}

async function recordProgress(service: Service, id: string, progress: number): Promise<void> {
  const row = await service.db
    .updateTable('tasks')
    .set({ progress, updated_at: service.clock() })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .where('progress', '<', progress)
    .returningAll()
    .executeTakeFirst()
  if (row && !hasNoEvents(service, row))
    service.events.publish(row.account_id, { event: 'progress', task: toTaskRecord(row) })
}
