import { parentPort, workerData } from 'node:worker_threads'
import { MediaError } from '../../src/contract/errors.ts'
import { useFfmpeg, type Ffmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { makePart, type PartJob } from './part.ts'

/** What a thread is told: a part to make, or to stop making it. */
export type Order = PartJob | 'stop'

/** What a thread answers: how far it is, how many frames the part has, or why there is none. */
export type Answer =
  | { readonly treated: number }
  | { readonly frames: number }
  | {
      readonly failed: {
        readonly code?: number
        readonly message?: string
        readonly hint?: string
        readonly retryable?: boolean
        readonly bug: unknown
      }
    }

useFfmpeg(workerData as Ffmpeg)
let stop = new AbortController()

function answer(one: Answer): void {
  parentPort?.postMessage(one, [])
}

function toFailure(thrown: unknown): Answer {
  if (!(thrown instanceof MediaError)) return { failed: { bug: thrown } }
  const { code, message, hint, retryable, cause } = thrown
  return { failed: { code, message, hint, retryable, bug: cause } }
}

parentPort?.on('message', (order: Order) => {
  if (order === 'stop') {
    stop.abort()
    return
  }
  stop = new AbortController()
  const watch = { signal: stop.signal, onFrames: (treated: number) => answer({ treated }) }
  void makePart(order, watch).then(
    (frames) => answer({ frames }),
    (error: unknown) => answer(toFailure(error)),
  )
})
