import { createFolder } from '../platform/folder.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Attempt, AttemptResult } from './worker-messages.ts'
import {
  killLeftoverWorkers,
  WorkerChild,
  type WorkerChildOptions,
  type AttemptObserver,
} from './worker-child.ts'

interface Options extends WorkerChildOptions {
  readonly metrics: Metrics
}

/** Runs attempts in child processes, kept warm between attempts; one that fell silent is not used again. */
export interface Workers extends AsyncDisposable {
  /**
   * Runs one attempt. Returns null if it waits for answers of its agent. Throws MediaError; the child's unexpected end is
   * a retryable 6500.
   */
  run(attempt: Attempt, watch: AttemptObserver): Promise<AttemptResult | null>
}

/** Opens the pool of workers; first ends what an earlier supervisor left running. */
export async function openWorkers(options: Options): Promise<Workers> {
  await createFolder(options.folder)
  await killLeftoverWorkers(options.folder)
  const idle = new Set<WorkerChild>()
  const busy = new Set<WorkerChild>()
  const all = new Set<WorkerChild>()
  const started = options.metrics.counter({
    name: 'reelwright_worker_starts_total',
    help: 'Worker processes started; one that failed an attempt is followed by a new one.',
  })
  options.metrics.read(
    { name: 'reelwright_workers', help: 'Worker processes that wait for an attempt or do one.' },
    () => [
      { labels: { state: 'idle' }, value: idle.size },
      { labels: { state: 'busy' }, value: busy.size },
    ],
  )

  const start = (): WorkerChild => {
    const child = new WorkerChild(options)
    started.add({})
    all.add(child)
    void forget(child)
    return child
  }
  const forget = async (child: WorkerChild): Promise<void> => {
    await child.exited
    idle.delete(child)
    await child.ended
    all.delete(child)
  }

  return {
    async run(attempt, watch) {
      const [child = start()] = idle
      idle.delete(child)
      busy.add(child)
      try {
        const finished = await child.run(attempt, watch)
        // It may have ended right after its answer.
        if (child.isConnected) idle.add(child)
        return finished
      } finally {
        busy.delete(child)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...all].map((child) => child.end()))
    },
  }
}
