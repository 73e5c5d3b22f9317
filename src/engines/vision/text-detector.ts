import { Worker } from 'node:worker_threads'
import { MediaError } from '../../contract/errors.ts'
import type { Frame } from '../../media/clean/patch.ts'
import type { TextBox } from '../../media/text/box.ts'
import { atMost } from '../../platform/at-most.ts'
import { usePack } from '../packs/use.ts'
import type { Looked, TextThreadJob } from './text-thread.ts'

const thread = import.meta.filename.endsWith('.ts') ? './text-thread.ts' : './text-thread.js'

/** Finds lines of text in pictures, on several cores at once. */
export interface TextDetector extends AsyncDisposable {
  /** The lines of text of a picture, in its pixels; the picture's memory belongs to the detector from then on. */
  find(frame: Frame): Promise<readonly TextBox[]>
}

/** Starts as many threads as are allowed, each with the model; 6401 where that, or what runs it, is not there. */
export async function openTextDetector(
  threads: number,
  signal: AbortSignal | undefined,
): Promise<TextDetector> {
  const job: TextThreadJob = {
    model: await usePack('text-detection', { signal }),
    runtime: await usePack('onnx-runtime', { signal }),
  }
  const all = Array.from({ length: threads }, () => startThread(job))
  const idle = [...all]
  const inTurn = atMost(threads)
  return {
    find: (frame) =>
      inTurn(async () => {
        const one = idle.pop()
        if (!one) throw new TypeError('more pictures at once than threads')
        try {
          return await one.look(frame)
        } finally {
          idle.push(one)
        }
      }),
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map(({ end }) => end()))),
  }
}

interface Thread {
  look(frame: Frame): Promise<readonly TextBox[]>
  end(): Promise<void>
}

function startThread(job: TextThreadJob): Thread {
  const worker = new Worker(new URL(thread, import.meta.url), { workerData: job })
  let waiting: PromiseWithResolvers<readonly TextBox[]> | undefined
  let failure: MediaError | undefined
  const fail = (cause: unknown) => {
    failure = new MediaError(6401, 'text detection does not run on this machine', {
      cause,
      retryable: false,
      hint: 'See `reelwright models verify`; if all is as it should be, use a service on another machine.',
    })
    waiting?.reject(failure)
  }
  worker.on('message', (looked: Looked) => {
    if ('error' in looked) fail(looked.error)
    else waiting?.resolve(looked.boxes)
  })
  worker.on('error', fail)
  const ended = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      fail(new Error('the thread has ended'))
      resolve()
    }),
  )
  return {
    look(frame) {
      if (failure) return Promise.reject(failure)
      waiting = Promise.withResolvers()
      worker.postMessage(frame, [frame.bytes.buffer as ArrayBuffer])
      return waiting.promise
    },
    async end() {
      worker.postMessage(null, [])
      await ended
    },
  }
}
