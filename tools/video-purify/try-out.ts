import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import type { Stretch } from './part.ts'
import type { Trial } from './rate-factor.ts'
import { makeSample, type Coding, type Sampling } from './sample.ts'

/** How trials are made. */
export interface Trying extends Sampling {
  /** Samples that memory has room for at once. */
  readonly atOnce: number
}

/** Frames of a place that is tried, and such places, as shares of the video; of a short one its middle alone. */
const frames = 20
const places = [0.15, 0.5, 0.85]
const middle = [0.5]

/**
 * The least likeness of samples encoded with a factor, dB, and what a frame takes on average; undefined where no place
 * has pictures.
 */
export async function tryOut(
  footage: Footage & Stretch,
  coding: Coding,
  reading: Trying,
): Promise<Omit<Trial, 'crf'> | undefined> {
  const tried = footage.count > 3 * places.length * frames ? places : middle
  const count = Math.min(frames, footage.count)
  // One after another a video of half a minute would be tried for as long as it is treated.
  const inTurn = limitConcurrency(reading.atOnce)
  const threads = Math.max(1, Math.floor(reading.threads / Math.min(reading.atOnce, tried.length)))
  const samples = tried.map((place) => {
    const first = footage.first + Math.floor((footage.count - count) * place)
    return inTurn(() => makeSample(footage, { first, count }, { ...reading, ...coding, threads }))
  })
  // Each ends its own programs before anything is told.
  await Promise.allSettled(samples)
  const made = (await Promise.all(samples)).filter((sample) => sample !== undefined)
  if (made.length === 0) return undefined
  return {
    decibels: Math.min(...made.map(({ decibels }) => decibels)),
    bytes: made.reduce((sum, sample) => sum + sample.bytes, 0) / made.length,
  }
}
