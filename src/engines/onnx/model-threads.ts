import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { startThread } from '../../platform/runtime.ts'
import { resolvePack } from '../packs/resolve.ts'
import type { PackName } from '../packs/manifest.ts'
import type { ModelThreadData, ModelReply } from './model-thread.ts'

/** Threads that each hold the same model and process one request at a time, on one core. */
export interface ModelThreads<Thing, Answer> extends AsyncDisposable {
  /** Processes a request on an idle thread, or waits for one. Transferred buffers become unusable. */
  run(thing: Thing, transfer: readonly ArrayBuffer[]): Promise<Answer>
}

interface ModelKind {
  readonly pack: PackName
  /** What the model is used for, as stated in errors. */
  readonly purpose: string
  /** Module that the threads run, without its extension; it must call `serveModel`. */
  readonly module: URL
}

/** Starts model threads. Throws 6401 if the model or the runtime is missing or fails to load. */
export async function openModelThreads<Thing, Answer>(
  { pack, purpose, module }: ModelKind,
  threads: number,
  signal: AbortSignal | undefined,
): Promise<ModelThreads<Thing, Answer>> {
  const job: ModelThreadData = {
    model: await resolvePack(pack, { signal }),
    runtime: await resolvePack('onnx-runtime', { signal }),
  }
  const all = Array.from({ length: threads }, () => startModelThread<Thing, Answer>(module, job, purpose))
  const idle = [...all]
  const inTurn = limitConcurrency(threads)
  return {
    run: (thing, transfer) =>
      inTurn(async () => {
        const one = idle.pop()
        if (!one) throw new TypeError('more concurrent requests than threads')
        try {
          return await one.ask(thing, transfer)
        } finally {
          idle.push(one)
        }
      }),
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map(({ end }) => end()))),
  }
}

interface ModelWorker<Thing, Answer> {
  ask(thing: Thing, transfer: readonly ArrayBuffer[]): Promise<Answer>
  end(): Promise<void>
}

function startModelThread<Thing, Answer>(
  module: URL,
  job: ModelThreadData,
  purpose: string,
): ModelWorker<Thing, Answer> {
  const worker = startThread(module, job)
  let waiting: PromiseWithResolvers<Answer> | undefined
  let failure: MediaError | undefined
  const fail = (cause: unknown) => {
    failure ??= new MediaError(6401, `${purpose} does not run on this machine`, {
      cause,
      retryable: false,
      hint: 'Run `reelwright models verify`. If it reports no problem, use a service on another machine.',
    })
    waiting?.reject(failure)
  }
  worker.on('message', (told: ModelReply<Answer>) => {
    if ('error' in told) fail(told.error)
    else waiting?.resolve(told.answer)
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
    ask(thing, transfer) {
      if (failure) return Promise.reject(failure)
      waiting = Promise.withResolvers()
      worker.postMessage({ thing }, [...transfer])
      return waiting.promise
    },
    async end() {
      worker.postMessage(null, [])
      await ended
    },
  }
}
