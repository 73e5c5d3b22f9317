import type { Rational } from '../../src/contract/media-facts.ts'

/** Rates that people write with two or three decimals. */
const broadcast: readonly Rational[] = [
  { num: 24_000, den: 1001 },
  { num: 30_000, den: 1001 },
  { num: 48_000, den: 1001 },
  { num: 60_000, den: 1001 },
  { num: 120_000, den: 1001 },
]

/** How far a written rate may be from the one that is meant: 29.97 is 0.00003 off. */
const tolerance = 0.002

/** Steps of any other rate. */
const den = 1000

/** The exact rate that is meant by a number of frames a second. */
export function exactRate(fps: number): Rational {
  const meant = broadcast.find((rate) => Math.abs(rate.num / rate.den - fps) < tolerance)
  if (meant) return meant
  return Number.isInteger(fps) ? { num: fps, den: 1 } : { num: Math.round(fps * den), den }
}

/** The frame that begins closest to a time. */
export function frameAt(seconds: number, rate: Rational): number {
  return Math.round((seconds * rate.num) / rate.den)
}

/** When a frame begins. */
export function secondsAt(frame: number, rate: Rational): number {
  return (frame * rate.den) / rate.num
}

/** A rate as ffmpeg takes it. */
export function inWords(rate: Rational): string {
  return `${rate.num}/${rate.den}`
}
