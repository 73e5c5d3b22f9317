import type { FitLine } from '../../src/media/dubbing/fit.ts'

export interface TypicalLinesOptions {
  readonly count: number
  /** Median of the duration of speech per time of its line. */
  readonly mean: number
  /** Numbers from 0 to 1. */
  readonly random: () => number
}

/** A normal deviate (Box and Muller 1958). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/**
 * Lines of 1.5 to 10 s with gaps of 0.1 to 0.8 s, and the duration of the source. Speech lasts 0.7 to 1.3 times as long as
 * its line, log-normal with a deviation of 0.15.
 */
export function typicalLines({ count, mean, random }: TypicalLinesOptions) {
  let end = 0
  const lines = Array.from({ length: count }, (): FitLine => {
    const start = end + Math.round(100 + 700 * random())
    const budget = Math.round(1500 + 8500 * random() ** 2)
    end = start + budget
    const ratio = Math.min(1.3, Math.max(0.7, mean * Math.exp(0.15 * normal(random))))
    return { start, end, synth: Math.round(budget * ratio), rewriteRounds: 0 }
  })
  return { lines, duration: end + 500 }
}
