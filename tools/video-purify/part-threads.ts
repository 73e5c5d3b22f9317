import type { Worker } from 'node:worker_threads'
import { isErrorCode, MediaError } from '../../src/contract/errors.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { configuredPacks } from '../../src/engines/packs/resolve.ts'
import { startThread } from '../../src/platform/runtime.ts'
import type { PartThreadMessage, PartThreadCommand, PartThreadData } from './part-thread.ts'
import { processPart, type PartJob } from './part.ts'

interface PartProgress {
  readonly signal: AbortSignal
  /** Called with the number of newly processed frames. */
  readonly onFrames: (frames: number) => void
}

interface ProcessPartsOptions extends PartProgress {
  readonly atOnce: number
  /** Whether inpainting models are configured. */
  readonly hasModels: boolean
  readonly onDone: (job: PartJob, frames: number) => Promise<void>
}

/** Processes parts in order, several at once. Calls `onDone` for each finished part. */
export async function processParts(jobs: readonly PartJob[], making: ProcessPartsOptions): Promise<void> {
  const [job] = jobs
  // Blurring a short video takes less time than starting a thread, and does not block this one for long.
  if (job?.treatment !== 'blur' || jobs.length > 1) return await processInThreads(jobs, making)
  const { signal, onDone: onMade } = making
  const onFrames = (): void => making.onFrames(1)
  await onMade(job, await processPart(job, { learned: {}, signal, onFrames }))
}

/** Processes each part in a thread. */
async function processInThreads(
  jobs: readonly PartJob[],
  { atOnce, hasModels, onDone: onMade, ...making }: ProcessPartsOptions,
): Promise<void> {
  const told: PartThreadData = {
    ffmpeg: await locateFfmpeg(),
    packs: hasModels ? configuredPacks() : undefined,
  }
  const waiting = jobs.values()
  const failed = new AbortController()
  const signal = AbortSignal.any([making.signal, failed.signal])
  const work = async () => {
    const worker = startThread(new URL('./part-thread', import.meta.url), told)
    worker.on('error', (error) => failed.abort(error))
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    try {
      for (const job of waiting) {
        signal.throwIfAborted()
        await onMade(job, await processInThread(worker, job, { ...making, signal, ended }))
      }
    } catch (error) {
      failed.abort(error)
      throw error
    } finally {
      worker.postMessage('end' satisfies PartThreadCommand, [])
      await ended
    }
  }
  const all = Array.from({ length: Math.min(atOnce, jobs.length) }, work)
  // Wait until all threads have ended their programs.
  await Promise.allSettled(all)
  // Throws the first failure, which aborted the others.
  signal.throwIfAborted()
}

async function processInThread(
  worker: Worker,
  job: PartJob,
  { signal, onFrames, ended }: PartProgress & { readonly ended: Promise<unknown> },
): Promise<number> {
  const stop = () => worker.postMessage('stop' satisfies PartThreadCommand, [])
  const made = Promise.withResolvers<number>()
  let treated = 0
  const hear = (answer: PartThreadMessage) => {
    if ('treated' in answer) {
      onFrames(answer.treated - treated)
      treated = answer.treated
    } else if ('frames' in answer) made.resolve(answer.frames)
    else made.reject(toError(answer.failed))
  }
  worker.on('message', hear)
  worker.on('error', made.reject)
  void ended.then(() => made.reject(new Error('a thread ended while it processed a part')))
  signal.addEventListener('abort', stop, { once: true })
  try {
    worker.postMessage(job, [])
    if (signal.aborted) stop()
    return await made.promise
  } finally {
    signal.removeEventListener('abort', stop)
    worker.off('message', hear)
    worker.off('error', made.reject)
  }
}

function toError({
  code,
  message,
  hint,
  retryable,
  bug,
}: Extract<PartThreadMessage, { failed: unknown }>['failed']): unknown {
  if (code === undefined || !isErrorCode(code)) return bug
  return new MediaError(code, message ?? '', { hint, retryable, cause: bug })
}
