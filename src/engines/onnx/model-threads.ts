import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { startThread } from '../../platform/runtime.ts'
import { defaultStallMs } from '../ffmpeg/child.ts'
import { resolvePack } from '../packs/resolve.ts'
import type { PackName } from '../packs/manifest.ts'
import { Watchdog } from '../watchdog.ts'
import type { ModelThreadData, ModelReply } from './model-thread.ts'

/** Threads that each hold the same model and process one request at a time, on one core. */
export interface ModelThreads<Request, Result> extends AsyncDisposable {
  /** Processes a request on an idle thread, or waits for one. Transferred buffers become unusable. */
  run(request: Request, transfer: readonly ArrayBuffer[]): Promise<Result>
}

interface ModelKind {
  readonly pack: PackName
  /** What the model is used for, as stated in errors. */
  readonly purpose: string
  /** Module that the threads run, without its extension; it must call `serveModel`. */
  readonly module: URL
  /** Longest time without progress, ms. */
  readonly stallMs?: number
}

/**
 * Starts model threads. Throws 6401 if the model or the runtime is missing or fails to load. A request fails with 6402
 * if its thread and this process are idle for a minute.
 */
export async function openModelThreads<Request, Result>(
  kind: ModelKind,
  threads: number,
  signal: AbortSignal | undefined,
): Promise<ModelThreads<Request, Result>> {
  const job: ModelThreadData = {
    model: await resolvePack(kind.pack, { signal }),
    runtime: await resolvePack('onnx-runtime', { signal }),
  }
  const workers = Array.from({ length: threads }, () => startModelThread<Request, Result>(kind, job))
  const idle = [...workers]
  const limited = limitConcurrency(threads)
  return {
    run: (request, transfer) =>
      limited(async () => {
        const worker = idle.pop()
        if (!worker) throw new TypeError('more concurrent requests than threads')
        try {
          return await worker.ask(request, transfer)
        } finally {
          idle.push(worker)
        }
      }),
    [Symbol.asyncDispose]: async () => void (await Promise.all(workers.map(({ end }) => end()))),
  }
}

interface ModelWorker<Request, Result> {
  ask(request: Request, transfer: readonly ArrayBuffer[]): Promise<Result>
  end(): Promise<void>
}

function startModelThread<Request, Result>(
  { module, purpose, stallMs = defaultStallMs }: ModelKind,
  job: ModelThreadData,
): ModelWorker<Request, Result> {
  const worker = startThread(module, job)
  let waiting: PromiseWithResolvers<Result> | undefined
  let failure: MediaError | undefined
  let isStuck = false
  const fail = (cause: unknown) => {
    failure ??= new MediaError(6401, `${purpose} does not run on this machine`, {
      cause,
      retryable: false,
      hint: 'Run `reelwright models verify`. If it reports no problem, use a service on another machine.',
    })
    waiting?.reject(failure)
  }
  const failStuck = () => {
    isStuck = true
    failure ??= new MediaError(6402, `${purpose} made no progress for ${Math.round(stallMs / 1000)} s`, {
      hint: 'Try again. If the problem persists, run `reelwright models verify`.',
    })
    waiting?.reject(failure)
    // Native code cannot be interrupted. The thread ends with the process at the latest.
    worker.unref()
  }
  worker.on('message', (reply: ModelReply<Result>) => {
    if ('error' in reply) fail(reply.error)
    else waiting?.resolve(reply.result)
  })
  worker.on('error', fail)
  worker.on('messageerror', fail)
  const ended = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      fail(new Error('the thread has ended'))
      resolve()
    }),
  )
  return {
    async ask(request, transfer) {
      if (failure) throw failure
      waiting = Promise.withResolvers()
      using _ = new Watchdog({ stallMs, processorMs: ownProcessorMs, onStall: failStuck })
      worker.postMessage({ request }, [...transfer])
      return await waiting.promise
    },
    async end() {
      worker.postMessage(null, [])
      if (!isStuck) await ended
    },
  }
}

/** Returns the processor time of this process and all its threads, ms. */
async function ownProcessorMs(): Promise<number> {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
