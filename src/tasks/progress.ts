import type { TaskRow } from '../db/schema.ts'
import { hasNoEvents } from './events.ts'
import type { Service } from './service.ts'
import { toTaskRecord } from './records.ts'

/** Progress is recorded at most this often, ms. */
const progressEveryMs = 1_000

/** Records what a task reports of its progress, and tells followers. */
export function progressRecorder(service: Service, task: TaskRow): (percent: number) => void {
  let recordedAt = Number.NEGATIVE_INFINITY
  return (percent) => {
    const now = service.clock()
    // 100 is for a completed task alone.
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
