import type { Logger } from 'pino'
import type { TaskError } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import type { Counter, Histogram, MetricReading, Metrics } from '../platform/metrics.ts'
import type { Service } from './service.ts'

/** What is counted of tasks in this process. */
export interface TaskMetrics {
  readonly created: Counter<'type'>
  readonly ended: Counter<'type' | 'state'>
  readonly failedAttempts: Counter<'type'>
  readonly seconds: Histogram<'type'>
}

/** Upper bounds of the buckets of working times, seconds. */
const secondsBuckets = [1, 5, 20, 60, 300, 900, 3600, 14_400]

/** Begins to count tasks. */
export function createTaskMetrics(metrics: Metrics): TaskMetrics {
  return {
    created: metrics.counter({ name: 'reelwright_tasks_created_total', help: 'Tasks created.' }),
    ended: metrics.counter({
      name: 'reelwright_tasks_ended_total',
      help: 'Tasks ended, by their last state.',
    }),
    failedAttempts: metrics.counter({
      name: 'reelwright_task_attempts_failed_total',
      help: 'Attempts that failed, those that were tried again included.',
    }),
    seconds: metrics.histogram(
      { name: 'reelwright_task_duration_seconds', help: 'Work on completed tasks: their last attempt.' },
      secondsBuckets,
    ),
  }
}

/** Has each scrape look at what waits and runs. */
export function registerQueueMetrics({ db, clock }: Service, metrics: Metrics): void {
  metrics.read(
    { name: 'reelwright_tasks', help: 'Tasks that wait or run.' },
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
    { name: 'reelwright_oldest_queued_task_seconds', help: 'Age of the oldest task that waits; 0 for none.' },
    async () => {
      const { oldest } = await db
        .selectFrom('tasks')
        .select((eb) => eb.fn.min('created_at').as('oldest'))
        .where('status', '=', 'queued')
        .executeTakeFirstOrThrow()
      return [{ value: oldest === null ? 0 : Math.max(0, clock() - oldest) / 1000 }]
    },
  )
}

// What becomes of tasks, for the log and the metrics; told after the commit that made it so.

/** Notes that a task was created. */
export function logCreated(service: Service, task: TaskRow): void {
  service.counts.created.add({ type: task.type })
  const { credits, estimated_ms, estimated_wait_ms } = task
  taskLogger(service, task).info({ credits, estimated_ms, estimated_wait_ms }, 'task created')
}

/** Notes the state a task came to. */
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

/** Notes that an attempt at a task failed, and why. */
export function logFailedAttempt(service: Service, task: TaskRow, error: unknown): void {
  service.counts.failedAttempts.add({ type: task.type })
  const ms = elapsedMs(task.started_at, service.clock())
  taskLogger(service, task).warn({ attempt: task.attempts + 1, ms, err: error }, 'attempt failed')
}

function taskLogger({ log }: Service, { id, type, account_id }: TaskRow): Logger {
  return log.child({ task_id: id, task_type: type, account_id })
}

/** Of the last attempt. */
function workedMs({ started_at, finished_at }: TaskRow): number {
  return elapsedMs(started_at, finished_at)
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
