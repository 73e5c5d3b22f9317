import { parentPort, workerData } from 'node:worker_threads'
import { MediaError } from '../../contract/errors.ts'
import { isFullRange } from '../ffmpeg/decode-frames.ts'
import { useFfmpeg, type Ffmpeg } from '../ffmpeg/locate.ts'
import type { Packs } from '../packs/store.ts'
import type { InpaintingModels } from '../../media/clean/inpaint/temporal-inpainter.ts'
import { processPart, type PartJob } from './part.ts'

/** Data passed to a thread: paths of programs, and the packs if models are configured. */
export interface PartThreadData {
  readonly ffmpeg: Ffmpeg
  readonly packs: Packs | undefined
}

/** A command to the thread: process a part, abort it, or end. */
export type PartThreadCommand = PartJob | 'stop' | 'end'

/** A message from the thread: treated frames so far, frames of the finished part, or the failure. */
export type PartThreadMessage =
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

const { ffmpeg, packs } = workerData as PartThreadData
useFfmpeg(ffmpeg)
let stop = new AbortController()
let learned: Promise<InpaintingModels & AsyncDisposable> | undefined
let processing: Promise<void> = Promise.resolve()

function sendToPool(one: PartThreadMessage): void {
  parentPort?.postMessage(one, [])
}

function toPartFailure(thrown: unknown): PartThreadMessage {
  if (!(thrown instanceof MediaError)) return { failed: { bug: thrown } }
  const { code, message, hint, retryable, cause } = thrown
  return { failed: { code, message, hint, retryable, bug: cause } }
}

/** Model code is imported only if needed: it takes as long to load as everything else. */
async function openModels(
  set: Packs,
  { threads, footage }: PartJob,
): Promise<InpaintingModels & AsyncDisposable> {
  const { configurePacks: setPacks } = await import('../packs/resolve.ts')
  const { openLearnedModels } = await import('../vision/learned-models.ts')
  setPacks(set)
  return await openLearnedModels(threads, { range: isFullRange(footage) ? 'full' : 'limited' })
}

async function process(job: PartJob, { signal }: AbortController): Promise<void> {
  try {
    // Opened once for all parts.
    if (packs) learned ??= openModels(packs, job)
    const onFrames = (treated: number) => sendToPool({ treated })
    sendToPool({ frames: await processPart(job, { learned: (await learned) ?? {}, signal, onFrames }) })
  } catch (error) {
    sendToPool(toPartFailure(error))
  }
}

/** Models are native: terminating the thread while one runs crashes the process. */
async function end(): Promise<void> {
  stop.abort()
  await processing
  const opened = await learned?.catch(() => undefined)
  await opened?.[Symbol.asyncDispose]()
  parentPort?.close()
}

parentPort?.on('message', (order: PartThreadCommand) => {
  if (order === 'stop') stop.abort()
  else if (order === 'end') void end()
  else {
    stop = new AbortController()
    processing = process(order, stop)
  }
})
