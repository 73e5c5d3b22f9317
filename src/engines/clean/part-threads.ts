import type { Worker } from 'node:worker_threads'
import { isErrorCode, MediaError } from '../../contract/errors.ts'
import { locateFfmpeg } from '../ffmpeg/locate.ts'
import { configuredPacks } from '../packs/resolve.ts'
import { startThread } from '../../platform/runtime.ts'
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
export async function processParts(jobs: readonly PartJob[], options: ProcessPartsOptions): Promise<void> {
  const [job] = jobs
  // Blurring a short video takes less time than starting a thread, and does not block this one for long.
  if (job?.treatment !== 'blur' || jobs.length > 1) return await processInThreads(jobs, options)
  const { signal, onDone: onMade } = options
  const onFrames = (): void => options.onFrames(1)
  await onMade(job, await processPart(job, { learned: {}, signal, onFrames }))
}

/** Processes each part in a thread. */
async function processInThreads(
  jobs: readonly PartJob[],
  { atOnce, hasModels, onDone: onMade, ...options }: ProcessPartsOptions,
): Promise<void> {
  const data: PartThreadData = {
    ffmpeg: await locateFfmpeg(),
    packs: hasModels ? configuredPacks() : undefined,
  }
  const waiting = jobs.values()
  const failed = new AbortController()
  const signal = AbortSignal.any([options.signal, failed.signal])
  const work = async () => {
    const worker = startThread(new URL('./part-thread', import.meta.url), data)
    worker.on('error', (error) => failed.abort(error))
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    try {
      for (const job of waiting) {
        signal.throwIfAborted()
        await onMade(job, await processInThread(worker, job, { ...options, signal, ended }))
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
  const finished = Promise.withResolvers<number>()
  let treated = 0
  const handle = (message: PartThreadMessage) => {
    if ('treated' in message) {
      onFrames(message.treated - treated)
      treated = message.treated
    } else if ('frames' in message) finished.resolve(message.frames)
    else finished.reject(toError(message.failed))
  }
  worker.on('message', handle)
  worker.on('error', finished.reject)
  void ended.then(() => finished.reject(new Error('a thread ended while it processed a part')))
  signal.addEventListener('abort', stop, { once: true })
  try {
    worker.postMessage(job, [])
    if (signal.aborted) stop()
    return await finished.promise
  } finally {
    signal.removeEventListener('abort', stop)
    worker.off('message', handle)
    worker.off('error', finished.reject)
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
