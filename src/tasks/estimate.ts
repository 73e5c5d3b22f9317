import type { Caller } from '../accounts/keys.ts'
import { priorities, type Priority, type TaskState } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { type ScheduledTask, Scheduler, type Turns, WaitingTasks } from '../queue/scheduler.ts'
import type { Service } from './service.ts'
import { WorkHistory } from './work-history.ts'

/** Number of a type's latest tasks from which work is estimated. */
const historyLength = 50

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
  const history = await recentWork(service, task.type, ['completed'])
  const workMs = history.expectedMs(task.plannedMs)
  const priority = priorities.indexOf(task.priority)
  const waiting = [...load.waiting, { id: newTaskId, accountId, keyId, priority, workMs }]
  return { workMs, waitMs: startTimes({ ...load, waiting }, newTaskId).get(newTaskId) ?? 0 }
}

/** Expected wait of each queued task, ms, by task id. */
export async function expectedWaits(service: Service): Promise<ReadonlyMap<string, number>> {
  return startTimes(await currentLoad(service))
}

/** Expected wait of a task from now, ms: 0 once it has begun; while its questions are open, the one of its creation. */
export async function currentWaitMs(
  service: Service,
  { id, status, estimated_wait_ms }: Pick<TaskRow, 'id' | 'status' | 'estimated_wait_ms'>,
): Promise<number> {
  if (status !== 'queued') return 0
  return startTimes(await currentLoad(service), id).get(id) ?? estimated_wait_ms
}

async function recentWork(
  { db }: Service,
  type: string,
  statuses: readonly TaskState[],
): Promise<WorkHistory> {
  const rows = await db
    .selectFrom('tasks')
    .select(['planned_ms', 'started_at', 'finished_at', 'worked_ms'])
    .where('type', '=', type)
    .where('status', 'in', statuses)
    .where('started_at', 'is not', null)
    .orderBy('id', 'desc')
    .limit(historyLength)
    .execute()
  const past = rows.map((row) => ({
    planned: row.planned_ms ?? 0,
    actual: row.worked_ms + (row.finished_at ?? 0) - (row.started_at ?? 0),
  }))
  return new WorkHistory(past)
}

type UnfinishedRow = Pick<TaskRow, 'status' | 'progress' | 'worked_ms' | 'started_at'> & {
  readonly planned_ms: number
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
  const histories = new Map<string, WorkHistory>()
  for (const type of new Set(unfinished.map((row) => row.type)))
    histories.set(type, await recentWork(service, type, ['completed', 'failed']))
  const noHistory = new WorkHistory([])
  const now = service.clock()
  const timed = unfinished.map((row) => {
    const { id, account_id: accountId, key_id: keyId, priority, status } = row
    const workMs = unfinishedWorkMs(row, histories.get(row.type) ?? noHistory, now)
    return { id, accountId, keyId, priority, status, workMs }
  })
  const running = timed.filter(({ status }) => status === 'processing')
  const waiting = timed.filter(({ status }) => status === 'queued')
  return { workers, running, waiting, runningPerKey, turns: queue.turns }
}

/** Expected work of an unfinished task, ms, or what remains of it. */
function unfinishedWorkMs(
  { status, progress, planned_ms, worked_ms, started_at }: UnfinishedRow,
  history: WorkHistory,
  now: number,
): number {
  if (status === 'queued' && progress === 0) return history.expectedMs(planned_ms)
  const elapsedMs = worked_ms + now - (started_at ?? now)
  return history.remainingMs({ plannedMs: planned_ms, elapsedMs, progress })
}
