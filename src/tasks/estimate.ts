import type { Service } from './service.ts'

/**
 * Moments, in ms from now, when each of these queued tasks starts and, last, when one after them would: in
 * their order, the next goes to the worker that is free first.
 *
 * @param busyMs for each worker how long it is busy with what it does
 * @param queuedMs expected work of each queued task
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

/** Expected milliseconds until a task of this priority that is created now starts. */
export async function expectedWait(service: Service, priority: number): Promise<number> {
  const { busyMs, queue } = await workAhead(service)
  const before = queue.filter((task) => task.priority >= priority)
  return startTimes(busyMs, before.map(workOf)).at(-1) ?? 0
}

/** Expected milliseconds from now until each queued task starts, by its id. */
export async function expectedWaits(service: Service): Promise<ReadonlyMap<string, number>> {
  const { busyMs, queue } = await workAhead(service)
  const starts = startTimes(busyMs, queue.map(workOf))
  return new Map(queue.map(({ id }, index) => [id, starts[index] ?? 0]))
}

const workOf = (task: { readonly estimated_ms: number }): number => task.estimated_ms

/** How long each worker is busy, and the queue in the order in which it is handed out; both of one moment. */
async function workAhead({ db, concurrency }: Service) {
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
