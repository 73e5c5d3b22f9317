import { priorities, type Priority } from '../contract/task.ts'
import type { Service } from './service.ts'

/** Number of a type's latest completed tasks from which work is estimated. */
const historyLength = 50

/** Minimum number of them. */
const historyNeeded = 5

/** Bound of the ratio between actual and planned work. */
const extremeRatio = 20

/** Planned and actual work of a completed task, ms. */
export interface CompletedWork {
  readonly planned: number
  readonly actual: number
}

/** Expected work, ms: `planned` times the median ratio of actual to planned work in `history`. */
export function expectedWorkMs(planned: number, history: readonly CompletedWork[]): number {
  const ratios = history.filter((past) => past.planned > 0).map((past) => past.actual / past.planned)
  if (ratios.length < historyNeeded) return planned
  const ratio = Math.min(Math.max(median(ratios), 1 / extremeRatio), extremeRatio)
  return Math.ceil(planned * ratio)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const [low = 0, high = low] = sorted.slice(Math.ceil(sorted.length / 2) - 1, sorted.length / 2 + 1)
  return (low + high) / 2
}

/**
 * Start times, ms from now, of each queued task in order, and last of a task behind them. Each goes to the worker that
 * is free first.
 *
 * @param busyMs remaining work of each worker, ms
 * @param queuedMs expected work of each queued task, ms
 */
export function startTimes(busyMs: readonly number[], queuedMs: readonly number[]): number[] {
  const free = [...busyMs]
  const starts = queuedMs.map((work) => {
    const start = Math.min(...free)
    free[free.indexOf(start)] = start + work
    return start
  })
  return [...starts, Math.min(...free)]
}

/** Expected work of a new task, ms, from the history of its type, and its expected wait, ms, from the queue. */
export async function estimateTask(
  service: Service,
  task: { type: string; plannedMs: number; priority: Priority },
): Promise<{ workMs: number; waitMs: number }> {
  const history = await recentWork(service, task.type)
  const { busyMs, queue } = await currentLoad(service)
  const priority = priorities.indexOf(task.priority)
  const before = queue.filter((other) => other.priority >= priority)
  return {
    workMs: expectedWorkMs(task.plannedMs, history),
    waitMs: startTimes(busyMs, before.map(workOf)).at(-1) ?? 0,
  }
}

/** Expected wait of each queued task, ms, by task id. */
export async function expectedWaits(service: Service): Promise<ReadonlyMap<string, number>> {
  const { busyMs, queue } = await currentLoad(service)
  const starts = startTimes(busyMs, queue.map(workOf))
  return new Map(queue.map(({ id }, index) => [id, starts[index] ?? 0]))
}

const workOf = (task: { readonly estimated_ms: number }): number => task.estimated_ms

async function recentWork({ db }: Service, type: string): Promise<CompletedWork[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['planned_ms', 'started_at', 'finished_at'])
    .where('type', '=', type)
    .where('status', '=', 'completed')
    .orderBy('id', 'desc')
    .limit(historyLength)
    .execute()
  return rows.map((row) => ({
    planned: row.planned_ms ?? 0,
    actual: (row.finished_at ?? 0) - (row.started_at ?? 0),
  }))
}

/** Remaining work of each worker, and the queue in its order of execution; from one query. */
async function currentLoad({ db, concurrency }: Service) {
  const unfinished = await db
    .selectFrom('tasks')
    .select(['id', 'status', 'priority', 'estimated_ms', 'progress'])
    .where('status', 'in', ['queued', 'processing'])
    .orderBy('priority', 'desc')
    .orderBy('id')
    .execute()
  const running = unfinished.filter(({ status }) => status === 'processing')
  const idle = Math.max(0, concurrency - running.length)
  return {
    busyMs: [
      ...running.map(({ estimated_ms, progress }) => Math.ceil((estimated_ms * (100 - progress)) / 100)),
      ...Array.from({ length: idle }, () => 0),
    ],
    queue: unfinished.filter(({ status }) => status === 'queued'),
  }
}
