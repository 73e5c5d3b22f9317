import { type SampleSource, WindowSplitter } from './windows.ts'

/** A piece of a sound. */
interface SoundPiece {
  /** Index of its first sample. */
  readonly from: number
  readonly samples: Float32Array
}

interface SpreadPiecesOptions {
  /** Samples of a piece; the last one can be shorter. */
  readonly size: number
  /** Most pieces. */
  readonly limit: number
  /** Least samples of a piece that is not the only one. */
  readonly least: number
}

/**
 * Returns pieces of a sound of any length that are spread evenly over it. Consecutive pieces are kept up to the limit; then
 * every second one of these, and so on. The choice depends on the samples alone. Memory: one piece more than the limit.
 */
export async function spreadPieces(
  sound: SampleSource,
  { size, limit, least }: SpreadPiecesOptions,
): Promise<SoundPiece[]> {
  const windows = new WindowSplitter({ size })
  let kept: SoundPiece[] = []
  let [index, step] = [0, 1]
  const offer = (samples: Float32Array): void => {
    if (index % step === 0) kept.push({ from: index * size, samples: samples.slice() })
    if (kept.length > limit) {
      step *= 2
      kept = kept.filter(({ from }) => (from / size) % step === 0)
    }
    index += 1
  }
  for await (const chunk of sound) for (const samples of windows.split(chunk)) offer(samples)
  const { rest } = windows
  if (rest >= least || index === 0) offer(windows.pad().subarray(0, rest))
  return kept
}
