import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { startThread } from '../../platform/runtime.ts'
import { resolvePack } from '../packs/resolve.ts'
import type { PackName } from '../packs/manifest.ts'
import type { ModelThreadData, ModelReply } from './model-thread.ts'

/** Threads that each hold the same model: each works on one thing at a time, on a core of its own. */
export interface ModelThreads<Thing, Answer> extends AsyncDisposable {
  /** Who asks while all are busy waits for a turn; what is transferred belongs to the thread from then on. */
  run(thing: Thing, transfer: readonly ArrayBuffer[]): Promise<Answer>
}

interface ModelKind {
  readonly pack: PackName
  /** What the model is for, as an error names it. */
  readonly purpose: string
  /** Of the module that the threads run, which calls `serveModel`; without its extension. */
  readonly module: URL
}

/** Starts as many threads as are allowed; 6401 where the model, or what runs it, is not there or does not run. */
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
        if (!one) throw new TypeError('more things at once than threads')
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
      hint: 'See `reelwright models verify`; if all is as it should be, use a service on another machine.',
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
