import type { Logger } from 'pino'
import type { TaskError } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import type { Service } from './service.ts'

// What becomes of tasks, for the log and the metrics; told after the commit that made it so.

/** Notes that a task was created. */
export function noteCreated(service: Service, task: TaskRow): void {
  service.counts.created.add({ type: task.type })
  const { credits, estimated_ms, estimated_wait_ms } = task
  logOf(service, task).info({ credits, estimated_ms, estimated_wait_ms }, 'task created')
}

/** Notes the state a task came to. */
export function noteMove(service: Service, task: TaskRow): void {
  const log = logOf(service, task)
  const { credits, attempts } = task
  switch (task.status) {
    case 'processing':
      log.info({ attempt: attempts + 1, waited_ms: since(task.ready_at, task.started_at) }, 'task started')
      break
    case 'completed':
      service.counts.seconds.observe({ type: task.type }, workedMs(task) / 1000)
      log.info({ credits, ms: workedMs(task), in_all_ms: sinceCreation(task) }, 'task completed')
      break
    case 'failed':
      log.warn(
        { code: codeOf(task), attempts, refunded: credits, in_all_ms: sinceCreation(task) },
        'task failed',
      )
      break
    case 'cancelled':
      log.info({ refunded: credits, in_all_ms: sinceCreation(task) }, 'task cancelled')
      break
    case 'queued':
      log.info({ attempts, again_in_ms: since(task.updated_at, task.ready_at) }, 'task queued again')
      break
    case 'created':
      break
  }
  if (task.finished_at !== null) service.counts.ended.add({ type: task.type, state: task.status })
}

/** Notes that an attempt at a task failed, and why. */
export function noteFailedAttempt(service: Service, task: TaskRow, error: unknown): void {
  service.counts.failedAttempts.add({ type: task.type })
  const ms = since(task.started_at, service.clock())
  logOf(service, task).warn({ attempt: task.attempts + 1, ms, err: error }, 'attempt failed')
}

function logOf({ log }: Service, { id, type, account_id }: TaskRow): Logger {
  return log.child({ task_id: id, task_type: type, account_id })
}

/** Of the last attempt. */
function workedMs({ started_at, finished_at }: TaskRow): number {
  return since(started_at, finished_at)
}

function sinceCreation({ created_at, finished_at }: TaskRow): number {
  return since(created_at, finished_at)
}

function since(from: number | null, to: number | null): number {
  return Math.max(0, (to ?? 0) - (from ?? 0))
}

function codeOf({ output }: TaskRow): number {
  return (JSON.parse(output ?? '') as { error: TaskError }).error.code
}
