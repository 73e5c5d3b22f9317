/** A window of a stream of samples. */
export interface SoundWindow {
  /** Index of its first sample; negative while the window includes padding before the sound. */
  readonly from: number
  /** Samples, padded with silence at both ends of the sound. The buffer is reused. */
  readonly samples: Float32Array
  /** Samples received up to the end of the window; all samples for the last window. */
  readonly received: number
  readonly isLast: boolean
}

interface PaddedWindowsOptions {
  /** Samples of a window, and distance between windows. */
  readonly length: number
  readonly step: number
  /** Silent samples before the sound. */
  readonly before: number
}

/** Splits chunks of any size into overlapping windows, until every sample has been `before` samples inside one. */
export async function* paddedWindows(
  sound: AsyncIterable<Float32Array>,
  { length, step, before }: PaddedWindowsOptions,
): AsyncGenerator<SoundWindow> {
  const samples = new Float32Array(length)
  let [from, filled, received] = [-before, before, 0]
  for await (const piece of sound) {
    for (let at = 0; at < piece.length;) {
      const count = Math.min(length - filled, piece.length - at)
      samples.set(piece.subarray(at, at + count), filled)
      ;[filled, at, received] = [filled + count, at + count, received + count]
      if (filled < length) break
      yield { from, samples, received, isLast: false }
      samples.copyWithin(0, step)
      ;[from, filled] = [from + step, length - step]
    }
  }
  for (;;) {
    samples.fill(0, filled)
    const isLast = received <= from + before + step
    yield { from, samples, received, isLast }
    if (isLast) return
    samples.copyWithin(0, step)
    ;[from, filled] = [from + step, Math.max(0, filled - step)]
  }
}

interface OverlapOptions {
  /** Samples of a window, and overlap of neighbours; counted over all interleaved channels. */
  readonly size: number
  readonly overlap: number
}

/** Input and output of the same span. */
interface ProcessedAudio {
  readonly input: Float32Array
  readonly output: Float32Array
}

/**
 * Processes sound of any length in overlapping windows, with a linear crossfade in the overlaps. The last window is
 * padded with silence. The output is as long as the input.
 */
export async function* processOverlapping(
  sound: AsyncIterable<Float32Array>,
  { size, overlap }: OverlapOptions,
  process: (piece: Float32Array) => Promise<Float32Array>,
): AsyncGenerator<ProcessedAudio> {
  const piece = new Float32Array(size)
  let filled = 0
  let tail: Float32Array | undefined
  const processWindow = async (): Promise<Float32Array> => {
    const processed = (await process(piece)).slice(0, size)
    for (const [at, before] of tail?.entries() ?? []) {
      const share = (at + 0.5) / overlap
      processed[at] = before * (1 - share) + (processed[at] ?? 0) * share
    }
    return processed
  }
  for await (const chunk of sound) {
    for (let at = 0; at < chunk.length;) {
      // A full window waits for more samples, so that the last window is known.
      if (filled === size) {
        const processed = await processWindow()
        yield { input: piece.slice(0, size - overlap), output: processed.subarray(0, size - overlap) }
        tail = processed.slice(size - overlap)
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
  const processed = await processWindow()
  yield { input: piece.slice(0, filled), output: processed.subarray(0, filled) }
}

/** Concatenates chunks of samples. */
export function concatSamples(pieces: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const all = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
