import { uprightSize } from '../../media/geometry.ts'
import { decodeFrames, type Footage } from '../ffmpeg/decode-frames.ts'
import { encodeFrames, type Effort } from '../ffmpeg/encode-frames.ts'
import { evenSize } from '../../media/clean/region.ts'
import { blur } from '../../media/clean/blur.ts'
import { createInpainter } from '../../media/clean/inpaint/inpainter.ts'
import { findOverlay, type PatchOverlay } from '../../media/clean/inpaint/overlay.ts'
import type { InpaintingModels } from '../../media/clean/inpaint/temporal-inpainter.ts'
import { createPatchLookup, type MarkedRegions } from '../../media/clean/masks.ts'
import { type Frame, frameBytes, type FrameTreatment, type Patch } from '../../media/clean/frame.ts'
import { hertz } from '../../media/frame-rate.ts'

/** A range of frames, counted from the start of the file. */
export interface FrameRange {
  readonly first: number
  readonly count: number
}

/** A part to treat and encode. Can be sent to a thread. */
export interface PartJob extends FrameRange {
  readonly path: string
  /** With the range of frames of the whole picture. */
  readonly footage: Footage & FrameRange
  readonly marked: MarkedRegions
  readonly treatment: 'blur' | 'inpainting'
  /** Overlays found on patches. */
  readonly overlays: readonly PatchOverlay[]
  /** Frames to decode before and after the part for the treatment. */
  readonly contextFrames: number
  /** Whether this is the last part. */
  readonly isLast: boolean
  readonly effort: Effort
  readonly crf: number
  readonly threads: number
  readonly timeoutMs: number
}

interface ProcessPartOptions {
  /** Models that replace built-in inpainting. */
  readonly learned: InpaintingModels
  readonly signal: AbortSignal
  /** Called with the number of treated frames. */
  readonly onFrames: (frames: number) => void
}

/** Treats and encodes one part. Returns its number of frames, fewer than requested at the end of the video. */
export async function processPart(
  job: PartJob,
  { learned, signal, onFrames }: ProcessPartOptions,
): Promise<number> {
  const { footage, first, count, threads, timeoutMs } = job
  const size = uprightSize(footage.video)
  // Frames before the start of the picture repeat the first one, which shows what is only marked later.
  const from = Math.max(footage.first, first - job.contextFrames)
  const freeBuffers: Uint8Array<ArrayBuffer>[] = []
  const bytes = frameBytes(evenSize(size))
  const decoded = decodeFrames(footage, {
    ...{ first: from, count: first + count + job.contextFrames - from, threads, signal, timeoutMs },
    allocate: () => freeBuffers.pop() ?? new Uint8Array(bytes),
  })
  const patchesAt = createPatchLookup(job.marked, { size, rate: footage.rate })
  const format = { ...evenSize(size), fps: hertz(footage.rate) }
  const treatment: FrameTreatment =
    job.treatment === 'blur' ? blur : createInpainter(format, abortable(learned, signal))
  const end = first + count
  const overlayOf = (patch: Patch) => findOverlay(job.overlays, patch)
  const overlap = job.isLast ? undefined : { from: end - job.contextFrames, to: end }
  let done = 0
  async function* treated(): AsyncGenerator<Frame> {
    let index = from
    for await (const frame of treatment(decoded, {
      first: from,
      firstNeeded: first,
      patchesAt,
      overlayOf,
      overlap,
    })) {
      if (index >= first && index < first + count) {
        yield frame
        done += 1
        onFrames(done)
      }
      index += 1
      const { buffer } = frame.bytes
      if (buffer instanceof ArrayBuffer && freeBuffers.length < 4) freeBuffers.push(new Uint8Array(buffer))
      if (index === first + count) return
    }
  }
  const frames = treated()
  // An encoder without input creates no file.
  const start = await frames.next()
  if (start.done) return 0
  await encodeFrames(
    job.path,
    { frames: prepend(start.value, frames), footage },
    { effort: job.effort, crf: job.crf, threads, signal, timeoutMs },
  )
  return done
}

/** A frame may call models many times, and each call is slow: stop before the next call once aborted. */
function abortable({ fill, flow }: InpaintingModels, signal: AbortSignal): InpaintingModels {
  return {
    fill:
      fill &&
      (async (picture, options) => {
        signal.throwIfAborted()
        await fill(picture, options)
      }),
    flow:
      flow &&
      (async (one, other) => {
        signal.throwIfAborted()
        return await flow(one, other)
      }),
  }
}

async function* prepend<T>(first: T, others: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first
    yield* others
  } finally {
    await others.return(undefined)
  }
}
