import type { Counter, Histogram, Metrics, MetricReading } from '../platform/metrics.ts'
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
export function countTasksIn(metrics: Metrics): TaskMetrics {
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
export function measureQueue({ db, clock }: Service, metrics: Metrics): void {
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
