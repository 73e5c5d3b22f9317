import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import type { Effort } from '../../src/engines/ffmpeg/encode-frames.ts'
import { tryEncoding } from '../../src/engines/ffmpeg/try-encoding.ts'
import type { Stretch } from './part.ts'
import type { Trial } from './rate-factor.ts'
import type { Reading } from './reading.ts'

/** How a sample is encoded. */
export interface Coding {
  readonly effort: Effort
  /** x264's constant rate factor. */
  readonly crf: number
}

/** How a sample is made. */
export interface Sampling extends Omit<Reading, 'scratch'> {
  readonly threads: number
}

/** Of samples that are the same, dB. */
export const identical = 100

/** Frames from one key frame to the next as the encoder sets them on its own. */
const fromKeyToKey = 250

/**
 * Encodes a stretch of a video: how near it comes, dB, and what a frame takes on average, a key frame counted as often
 * as it would come.
 */
export async function makeSample(
  footage: Footage,
  stretch: Stretch,
  { threads, signal, timeoutMs, effort, crf }: Sampling & Coding,
): Promise<Omit<Trial, 'crf'>> {
  const made = await tryEncoding(footage, { ...stretch, threads, signal, timeoutMs, effort, crf })
  const others = (made.bytes - made.keyBytes) / Math.max(1, made.count - 1)
  return { decibels: Math.min(identical, made.decibels), bytes: made.keyBytes / fromKeyToKey + others }
}
