/** Chunks of samples of any size. */
export type SampleSource = AsyncIterable<Float32Array> | Iterable<Float32Array>

interface WindowLayout {
  /** Samples of a window; counted over all interleaved channels. */
  readonly size: number
  /** Distance between the starts of windows, samples, up to `size`. Default: `size`. */
  readonly step?: number
  /** Silent samples before the sound. Default: 0. */
  readonly before?: number
}

/** Splits chunks of any size into windows. An incomplete window is kept for the next chunk. */
export class WindowSplitter {
  readonly #samples: Float32Array
  readonly #step: number
  #filled: number

  constructor({ size, step = size, before = 0 }: WindowLayout) {
    this.#samples = new Float32Array(size)
    this.#step = step
    this.#filled = before
  }

  /** Samples of the incomplete window, silence before the sound included; 0 if no sample came after the last window. */
  get rest(): number {
    return this.#filled === this.#samples.length ? 0 : this.#filled
  }

  /** Yields the windows that this chunk completes, in one reused buffer. */
  *split(chunk: Float32Array): Generator<Float32Array> {
    for (let at = 0; at < chunk.length;) {
      this.#advance()
      const count = Math.min(this.#samples.length - this.#filled, chunk.length - at)
      this.#samples.set(chunk.subarray(at, at + count), this.#filled)
      this.#filled += count
      at += count
      if (this.#filled === this.#samples.length) yield this.#samples
    }
  }

  /** Pads the incomplete window with silence and returns it in the same buffer. Call again for the windows after it. */
  pad(): Float32Array {
    this.#advance()
    this.#samples.fill(0, this.#filled)
    this.#filled = this.#samples.length
    return this.#samples
  }

  /** Begins the next window if the current one is complete. */
  #advance(): void {
    if (this.#filled < this.#samples.length) return
    this.#samples.copyWithin(0, this.#step)
    this.#filled -= this.#step
  }
}

/** Splits sound into windows in one reused buffer. The last window is padded with silence. */
export async function* fixedWindows(
  sound: SampleSource,
  layout: Pick<WindowLayout, 'size' | 'step'>,
): AsyncGenerator<Float32Array> {
  const windows = new WindowSplitter(layout)
  for await (const chunk of sound) yield* windows.split(chunk)
  if (windows.rest > 0) yield windows.pad()
}

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
  const windows = new WindowSplitter({ size: length, step, before })
  let from = -before
  let total = 0
  for await (const chunk of sound) {
    total += chunk.length
    for (const samples of windows.split(chunk)) {
      yield { from, samples, received: from + length, isLast: false }
      from += step
    }
  }
  for (; ; from += step) {
    const isLast = total <= from + before + step
    yield { from, samples: windows.pad(), received: total, isLast }
    if (isLast) return
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
  const step = size - overlap
  const windows = new WindowSplitter({ size, step })
  let tail: Float32Array | undefined
  const processWindow = async (piece: Float32Array): Promise<Float32Array> => {
    const processed = (await process(piece)).slice(0, size)
    for (let at = 0; tail && at < tail.length; at += 1) {
      const share = (at + 0.5) / overlap
      processed[at] = (tail[at] ?? 0) * (1 - share) + (processed[at] ?? 0) * share
    }
    return processed
  }
  let inputTail: Float32Array | undefined
  for await (const chunk of sound) {
    for (const piece of windows.split(chunk)) {
      const processed = await processWindow(piece)
      yield { input: piece.slice(0, step), output: processed.subarray(0, step) }
      tail = processed.slice(step)
      inputTail = piece.slice(step)
    }
  }
  const { rest } = windows
  if (rest > 0) {
    const piece = windows.pad()
    const processed = await processWindow(piece)
    yield { input: piece.slice(0, rest), output: processed.subarray(0, rest) }
  } else if (inputTail && tail) yield { input: inputTail, output: tail }
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
