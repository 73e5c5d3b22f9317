import { decodeFrames, uprightSize, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { encodeFrames } from '../../src/engines/ffmpeg/encode-frames.ts'
import { evenSize } from '../../src/media/clean/boxes.ts'
import { blur } from '../../src/media/clean/blur.ts'
import { makeInpainter } from '../../src/media/clean/inpaint/inpainter.ts'
import { patchesOf, type Marked } from '../../src/media/clean/masks.ts'
import type { Frame, Treat } from '../../src/media/clean/patch.ts'
import { frameBytes } from '../../src/media/clean/planes.ts'

/** A stretch of a film, frames counted from the start of the file. */
export interface Stretch {
  readonly first: number
  readonly count: number
}

/** A part to be treated and encoded. All of it can be sent to a thread. */
export interface PartJob extends Stretch {
  readonly path: string
  readonly footage: Footage
  readonly marked: Marked
  readonly treatment: 'blur' | 'inpainting'
  /** Frames decoded before and after it, of which the treatment may take what it needs. */
  readonly around: number
  readonly crf: number
  readonly threads: number
  readonly timeoutMs: number
}

interface Watch {
  readonly signal: AbortSignal
  /** Told how many frames are treated. */
  readonly onFrames: (frames: number) => void
}

/** Makes one part; answers how many frames it has: fewer than asked for where the video ends. */
export async function makePart(job: PartJob, { signal, onFrames }: Watch): Promise<number> {
  const { footage, first, count, threads, timeoutMs } = job
  const size = uprightSize(footage.video)
  const from = Math.max(0, first - job.around)
  const spare: Uint8Array<ArrayBuffer>[] = []
  const bytes = frameBytes(evenSize(size))
  const decoded = decodeFrames(footage, {
    ...{ first: from, count: first + count + job.around - from, threads, signal, timeoutMs },
    take: () => spare.pop() ?? new Uint8Array(bytes),
  })
  const patchesAt = patchesOf(job.marked, { size, rate: footage.rate })
  const treat: Treat = job.treatment === 'blur' ? blur : makeInpainter(evenSize(size))
  let done = 0
  async function* wanted(): AsyncGenerator<Frame> {
    let index = from
    for await (const frame of treat(decoded, { first: from, patchesAt })) {
      if (index >= first && index < first + count) {
        yield frame
        done += 1
        onFrames(done)
      }
      index += 1
      const { buffer } = frame.bytes
      if (buffer instanceof ArrayBuffer && spare.length < 4) spare.push(new Uint8Array(buffer))
      if (index === first + count) return
    }
  }
  const frames = wanted()
  // An encoder that is given nothing makes no file.
  const start = await frames.next()
  if (start.done) return 0
  await encodeFrames(
    job.path,
    { frames: startingWith(start.value, frames), footage },
    { crf: job.crf, threads, signal, timeoutMs },
  )
  return done
}

async function* startingWith<T>(first: T, others: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first
    yield* others
  } finally {
    await others.return(undefined)
  }
}
