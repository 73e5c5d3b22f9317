import type { Logger } from 'pino'
import type { TaskError } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import type { Counter, Histogram, MetricReading, Metrics } from '../platform/metrics.ts'
import type { Service } from './service.ts'

/** Metrics of tasks that this process records. */
export interface TaskMetrics {
  readonly created: Counter<'type'>
  readonly ended: Counter<'type' | 'state'>
  readonly failedAttempts: Counter<'type'>
  readonly seconds: Histogram<'type'>
}

/** Upper bounds of the duration histogram's buckets, seconds. */
const secondsBuckets = [1, 5, 20, 60, 300, 900, 3600, 14_400]

/** Registers the metrics of tasks. */
export function createTaskMetrics(metrics: Metrics): TaskMetrics {
  return {
    created: metrics.counter({ name: 'reelwright_tasks_created_total', help: 'Tasks created.' }),
    ended: metrics.counter({
      name: 'reelwright_tasks_ended_total',
      help: 'Tasks ended, by their last state.',
    }),
    failedAttempts: metrics.counter({
      name: 'reelwright_task_attempts_failed_total',
      help: 'Failed attempts, including those that were retried.',
    }),
    seconds: metrics.histogram(
      { name: 'reelwright_task_duration_seconds', help: 'Duration of the last attempt of completed tasks.' },
      secondsBuckets,
    ),
  }
}

/** Registers the metrics of the queue, which each scrape reads from the database. */
export function registerQueueMetrics({ db, clock }: Service, metrics: Metrics): void {
  metrics.read(
    { name: 'reelwright_tasks', help: 'Queued and running tasks.' },
    async (): Promise<MetricReading[]> => {
      const rows = await db
        .selectFrom('tasks')
        .select(['type', 'status', (eb) => eb.fn.countAll<number>().as('count')])
        .where('status', 'in', ['queued', 'processing'])
        .groupBy(['type', 'status'])
        .execute()
      return rows.map(({ type, status, count }) => ({ labels: { type, state: status }, value: count }))
    },
  )
  metrics.read(
    {
      name: 'reelwright_oldest_queued_task_seconds',
      help: 'Age of the oldest queued task that does not wait for answers; 0 without one.',
    },
    async () => {
      const { oldest } = await db
        .selectFrom('tasks')
        .select((eb) => eb.fn.min('created_at').as('oldest'))
        .where('status', '=', 'queued')
        .where('questions_open', '=', 0)
        .executeTakeFirstOrThrow()
      return [{ value: oldest === null ? 0 : Math.max(0, clock() - oldest) / 1000 }]
    },
  )
}

// Log lines and metrics of changes of tasks, written after their commit.

/** Logs and counts a created task. */
export function logCreated(service: Service, task: TaskRow): void {
  service.counts.created.add({ type: task.type })
  const { credits, estimated_ms, estimated_wait_ms } = task
  taskLogger(service, task).info({ credits, estimated_ms, estimated_wait_ms }, 'task created')
}

/** Logs and counts a change of a task's state. */
export function logTransition(service: Service, task: TaskRow): void {
  const log = taskLogger(service, task)
  const { credits, attempts } = task
  switch (task.status) {
    case 'processing':
      log.info(
        { attempt: attempts + 1, waited_ms: elapsedMs(task.ready_at, task.started_at) },
        'task started',
      )
      break
    case 'completed':
      service.counts.seconds.observe({ type: task.type }, workedMs(task) / 1000)
      log.info({ credits, ms: workedMs(task), in_all_ms: totalMs(task) }, 'task completed')
      break
    case 'failed':
      log.warn(
        { code: failureCode(task), attempts, refunded: credits, in_all_ms: totalMs(task) },
        'task failed',
      )
      break
    case 'cancelled':
      log.info({ refunded: credits, in_all_ms: totalMs(task) }, 'task cancelled')
      break
    case 'queued':
      log.info({ attempts, again_in_ms: elapsedMs(task.updated_at, task.ready_at) }, 'task queued again')
      break
    case 'created':
      break
  }
  if (task.finished_at !== null) service.counts.ended.add({ type: task.type, state: task.status })
}

/** Logs and counts a failed attempt. */
export function logFailedAttempt(service: Service, task: TaskRow, error: unknown): void {
  service.counts.failedAttempts.add({ type: task.type })
  const ms = elapsedMs(task.started_at, service.clock())
  taskLogger(service, task).warn({ attempt: task.attempts + 1, ms, err: error }, 'attempt failed')
}

function taskLogger({ log }: Service, { id, type, account_id }: TaskRow): Logger {
  return log.child({ task_id: id, task_type: type, account_id })
}

/** Duration of the last attempt, ms. */
function workedMs({ started_at, finished_at, worked_ms }: TaskRow): number {
  return worked_ms + elapsedMs(started_at, finished_at)
}

function totalMs({ created_at, finished_at }: TaskRow): number {
  return elapsedMs(created_at, finished_at)
}

function elapsedMs(from: number | null, to: number | null): number {
  return Math.max(0, (to ?? 0) - (from ?? 0))
}

function failureCode({ output }: TaskRow): number {
  return (JSON.parse(output ?? '') as { error: TaskError }).error.code
}
