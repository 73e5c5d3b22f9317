import { parentPort, workerData } from 'node:worker_threads'
import { MediaError } from '../../src/contract/errors.ts'
import { isFullRange } from '../../src/engines/ffmpeg/decode-frames.ts'
import { useFfmpeg, type Ffmpeg } from '../../src/engines/ffmpeg/locate.ts'
import type { Packs } from '../../src/engines/packs/store.ts'
import type { InpaintingModels } from '../../src/media/clean/inpaint/temporal-inpainter.ts'
import { processPart, type PartJob } from './part.ts'

/** What a thread is started with: where programs lie, and the packs there are where models are set that fill. */
export interface PartThreadData {
  readonly ffmpeg: Ffmpeg
  readonly packs: Packs | undefined
}

/** What a thread is told: a part to make, to stop making it, or that there is none left. */
export type PartThreadCommand = PartJob | 'stop' | 'end'

/** What a thread answers: how far it is, how many frames the part has, or why there is none. */
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

function send(one: PartThreadMessage): void {
  parentPort?.postMessage(one, [])
}

function toFailure(thrown: unknown): PartThreadMessage {
  if (!(thrown instanceof MediaError)) return { failed: { bug: thrown } }
  const { code, message, hint, retryable, cause } = thrown
  return { failed: { code, message, hint, retryable, bug: cause } }
}

/** What finds models is loaded for them alone: it takes as long as all else of a thread's start. */
async function openModels(
  set: Packs,
  { threads, footage }: PartJob,
): Promise<InpaintingModels & AsyncDisposable> {
  const { configurePacks: setPacks } = await import('../../src/engines/packs/resolve.ts')
  const { openLearnedModels } = await import('../../src/engines/vision/learned-models.ts')
  setPacks(set)
  return await openLearnedModels(threads, { range: isFullRange(footage) ? 'full' : 'limited' })
}

async function process(job: PartJob, { signal }: AbortController): Promise<void> {
  try {
    // Once, however many parts of the film are filled.
    if (packs) learned ??= openModels(packs, job)
    const onFrames = (treated: number) => send({ treated })
    send({ frames: await processPart(job, { learned: (await learned) ?? {}, signal, onFrames }) })
  } catch (error) {
    send(toFailure(error))
  }
}

/** Models are native: a thread that is ended from outside while one works takes the process with it. */
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
