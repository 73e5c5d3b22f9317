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
