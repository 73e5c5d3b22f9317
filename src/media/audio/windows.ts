/** A stretch of sound around a place. */
export interface SoundWindow {
  /** Sample at which it begins; before the first of the sound where that is silent in it. */
  readonly from: number
  /** As long as was asked, silent beyond both ends of the sound; used again for the next. */
  readonly samples: Float32Array
  /** Samples of the sound there are up to the window's end; all of them where it is the last. */
  readonly received: number
  readonly isLast: boolean
}

interface PaddedWindowsOptions {
  /** Samples of a window, and from one to the next. */
  readonly length: number
  readonly step: number
  /** Samples of silence before the sound. */
  readonly before: number
}

/** Cuts sound that arrives in pieces of any size into windows that overlap, until all of it lies `before` samples within one. */
export async function* paddedWindows(
  sound: AsyncIterable<Float32Array>,
  { length, step, before }: PaddedWindowsOptions,
): AsyncGenerator<SoundWindow> {
  const samples = new Float32Array(length)
  let [from, filled, heard] = [-before, before, 0]
  for await (const piece of sound) {
    for (let at = 0; at < piece.length;) {
      const count = Math.min(length - filled, piece.length - at)
      samples.set(piece.subarray(at, at + count), filled)
      ;[filled, at, heard] = [filled + count, at + count, heard + count]
      if (filled < length) break
      yield { from, samples, received: heard, isLast: false }
      samples.copyWithin(0, step)
      ;[from, filled] = [from + step, length - step]
    }
  }
  for (;;) {
    samples.fill(0, filled)
    const isLast = heard <= from + before + step
    yield { from, samples, received: heard, isLast }
    if (isLast) return
    samples.copyWithin(0, step)
    ;[from, filled] = [from + step, Math.max(0, filled - step)]
  }
}

interface OverlapOptions {
  /** Samples of a piece, and of what two neighbours share; of all channels, which come in turn. */
  readonly size: number
  readonly overlap: number
}

/** Sound, and what was made of it. */
interface ProcessedAudio {
  readonly given: Float32Array
  readonly made: Float32Array
}

/**
 * Makes something of sound of any length by work on pieces of it that overlap: in what they share one fades into the
 * next. The last is filled up with silence. What comes out is as long as what goes in.
 */
export async function* processOverlapping(
  sound: AsyncIterable<Float32Array>,
  { size, overlap }: OverlapOptions,
  work: (piece: Float32Array) => Promise<Float32Array>,
): AsyncGenerator<ProcessedAudio> {
  const piece = new Float32Array(size)
  let filled = 0
  let tail: Float32Array | undefined
  const join = async (): Promise<Float32Array> => {
    const made = (await work(piece)).slice(0, size)
    for (const [at, before] of tail?.entries() ?? []) {
      const share = (at + 0.5) / overlap
      made[at] = before * (1 - share) + (made[at] ?? 0) * share
    }
    return made
  }
  for await (const chunk of sound) {
    for (let at = 0; at < chunk.length;) {
      // A full piece waits for more, so that the last one is known to be.
      if (filled === size) {
        const made = await join()
        yield { given: piece.slice(0, size - overlap), made: made.subarray(0, size - overlap) }
        tail = made.slice(size - overlap)
        piece.copyWithin(0, size - overlap)
        filled = overlap
      }
      const count = Math.min(size - filled, chunk.length - at)
      piece.set(chunk.subarray(at, at + count), filled)
      filled += count
      at += count
    }
  }
  if (filled === 0) return
  piece.fill(0, filled)
  const made = await join()
  yield { given: piece.slice(0, filled), made: made.subarray(0, filled) }
}

/** Samples that come in pieces, in one. */
export function concatSamples(pieces: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const all = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
