import type { Caller } from '../accounts/keys.ts'
import { priorities, type Priority, type TaskState } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { type ScheduledTask, Scheduler, type Turns, WaitingTasks } from '../queue/scheduler.ts'
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
  return Math.ceil(planned * workRatio(history))
}

function workRatio(history: readonly CompletedWork[]): number {
  const ratios = history.filter((past) => past.planned > 0).map((past) => past.actual / past.planned)
  if (ratios.length < historyNeeded) return 1
  return Math.min(Math.max(median(ratios), 1 / extremeRatio), extremeRatio)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const [low = 0, high = low] = sorted.slice(Math.ceil(sorted.length / 2) - 1, sorted.length / 2 + 1)
  return (low + high) / 2
}

/** A task with its expected work, or what is left of it, ms. */
export interface TimedTask extends ScheduledTask {
  readonly workMs: number
}

/** All unfinished tasks and how the scheduler treats them. */
export interface QueueLoad {
  /** Number of workers. */
  readonly workers: number
  readonly running: readonly TimedTask[]
  readonly waiting: readonly TimedTask[]
  readonly runningPerKey: number
  readonly turns: Turns
}

/** A worker in the simulation. */
interface SimulatedWorker {
  /** When it is free, ms from now. */
  until: number
  task?: TimedTask | undefined
}

/**
 * Start times of the waiting tasks, ms from now, by id, in order of start: simulates the scheduler with workers that
 * each run one task. Ends with the task `last`, if it is given.
 */
export function startTimes(load: QueueLoad, last?: string): Map<string, number> {
  const { running, workers: workerCount } = load
  const scheduler = new Scheduler(load)
  const waiting = new WaitingTasks(load.waiting)
  const workers: SimulatedWorker[] = running.map((task) => ({ until: task.workMs, task }))
  while (workers.length < workerCount) workers.push({ until: 0 })
  const starts = new Map<string, number>()
  while (last === undefined || !starts.has(last)) {
    const now = Math.min(...workers.map(({ until }) => until))
    for (const worker of workers) {
      if (worker.until > now || !worker.task) continue
      scheduler.end(worker.task)
      worker.task = undefined
    }
    const free = workers.find(({ task }) => !task)
    const task = waiting.take(scheduler)
    if (!free || !task) break
    scheduler.start(task)
    starts.set(task.id, now)
    Object.assign(free, { until: now + task.workMs, task })
  }
  return starts
}

/** Id of a task that does not exist yet, in the order of creation after all others. */
const newTaskId = '~'

/** Expected work of a new task, ms, from the history of its type, and its expected wait, ms, from the queue. */
export async function estimateTask(
  service: Service,
  { accountId, keyId }: Caller,
  task: { type: string; plannedMs: number; priority: Priority },
): Promise<{ workMs: number; waitMs: number }> {
  const load = await currentLoad(service)
  const workMs = expectedWorkMs(task.plannedMs, await recentWork(service, task.type, ['completed']))
  const priority = priorities.indexOf(task.priority)
  const waiting = [...load.waiting, { id: newTaskId, accountId, keyId, priority, workMs }]
  return { workMs, waitMs: startTimes({ ...load, waiting }, newTaskId).get(newTaskId) ?? 0 }
}

/** Expected wait of each queued task, ms, by task id. */
export async function expectedWaits(service: Service): Promise<ReadonlyMap<string, number>> {
  return startTimes(await currentLoad(service))
}

async function recentWork(
  { db }: Service,
  type: string,
  statuses: readonly TaskState[],
): Promise<CompletedWork[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['planned_ms', 'started_at', 'finished_at', 'worked_ms'])
    .where('type', '=', type)
    .where('status', 'in', statuses)
    .where('started_at', 'is not', null)
    .orderBy('id', 'desc')
    .limit(historyLength)
    .execute()
  return rows.map((row) => ({
    planned: row.planned_ms ?? 0,
    actual: row.worked_ms + (row.finished_at ?? 0) - (row.started_at ?? 0),
  }))
}

/** Running and queued tasks with the work that the latest history of their types predicts. */
async function currentLoad(service: Service): Promise<QueueLoad> {
  const { db, concurrency: workers, runningPerKey, queue } = service
  const unfinished = await db
    .selectFrom('tasks')
    .select([
      'id',
      'account_id',
      'key_id',
      'type',
      'status',
      'priority',
      'progress',
      'started_at',
      'worked_ms',
    ])
    .select((eb) => eb.fn.coalesce('planned_ms', 'estimated_ms').as('planned_ms'))
    .where('status', 'in', ['queued', 'processing'])
    // Tasks that wait for answers are not in the queue.
    .where('questions_open', '=', 0)
    .execute()
  const ratios = new Map<string, number>()
  for (const type of new Set(unfinished.map((row) => row.type)))
    ratios.set(type, workRatio(await recentWork(service, type, ['completed', 'failed'])))
  const now = service.clock()
  const timed = unfinished.map((row) => {
    const expectedMs = Math.ceil(row.planned_ms * (ratios.get(row.type) ?? 1))
    const isNew = row.status === 'queued' && row.progress === 0
    const workMs = isNew ? expectedMs : remainingMs(row, expectedMs, now)
    const { id, account_id: accountId, key_id: keyId, priority, status } = row
    return { id, accountId, keyId, priority, status, workMs }
  })
  const running = timed.filter(({ status }) => status === 'processing')
  const waiting = timed.filter(({ status }) => status === 'queued')
  return { workers, running, waiting, runningPerKey, turns: queue.turns }
}

/**
 * Expected remaining work of a running task, ms: by its progress, or by its duration so far if it reports none. A task
 * without progress that takes longer than expected has a tenth of its work left.
 */
function remainingMs(
  { progress, started_at, worked_ms }: Pick<TaskRow, 'progress' | 'started_at' | 'worked_ms'>,
  expectedMs: number,
  now: number,
): number {
  if (progress > 0) return Math.ceil((expectedMs * (100 - progress)) / 100)
  return Math.max(Math.ceil(expectedMs / 10), expectedMs - worked_ms - (now - (started_at ?? now)))
}
