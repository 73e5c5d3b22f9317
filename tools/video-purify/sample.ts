import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import type { Coding as EncoderCoding } from '../../src/engines/ffmpeg/encode-frames.ts'
import { tryEncoding } from '../../src/engines/ffmpeg/try-encoding.ts'
import type { Stretch } from './part.ts'
import type { Trial } from './rate-factor.ts'
import type { Reading } from './reading.ts'

/** How a sample is encoded. */
export type Coding = Omit<EncoderCoding, 'threads'>

/** How a sample is made. */
export interface Sampling extends Omit<Reading, 'scratch'> {
  readonly threads: number
}

/** Frames from one key frame to the next as the encoder sets them on its own. */
const fromKeyToKey = 250

/**
 * Encodes a stretch of a video: how near it comes, dB, and what a frame takes on average, its first, a key frame,
 * counted as often as one would come. Undefined where there are hardly any pictures.
 */
export async function makeSample(
  footage: Footage,
  stretch: Stretch,
  { threads, signal, timeoutMs, effort, crf }: Sampling & Coding,
): Promise<Omit<Trial, 'crf'> | undefined> {
  const frames = await tryEncoding(footage, { ...stretch, threads, signal, timeoutMs, effort, crf })
  const [key, ...others] = frames
  // Of a few before the end of what is cut off, the key frame tells too much of the size.
  if (!key || frames.length < stretch.count / 2) return undefined
  // The mean is of squared differences: a black frame, near by itself, makes none of the others nearer.
  const difference = meanOf(frames.map(({ decibels }) => 10 ** (-decibels / 10)))
  return {
    decibels: -10 * Math.log10(difference),
    bytes: key.bytes / fromKeyToKey + meanOf(others.map(({ bytes }) => bytes)),
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
