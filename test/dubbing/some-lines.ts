import fc from 'fast-check'
import type { FitLine, FitOptions } from '../../src/media/dubbing/fit.ts'

/** Lines and how they are fitted. */
export interface FitCase {
  readonly lines: readonly FitLine[]
  readonly options: FitOptions
}

const rates = [
  { num: 24_000, den: 1001 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 60_000, den: 1001 },
  { num: 120, den: 1 },
  { num: 1, den: 1 },
]

const bands: readonly (readonly [number, number])[] = [
  [0.95, 1.15],
  [1, 1],
  [0.5, 1.3],
  [1.1, 1.15],
  [0.987_654_321, 1.012_345_678],
]

const ms = (min: number, max: number) => fc.integer({ min, max })

/** Mostly what speakers do, sometimes extremes: overlaps, no time at all, far too much speech. */
const someLine = fc.record({
  gap: fc.oneof({ arbitrary: ms(0, 900), weight: 6 }, ms(-3000, 0), ms(0, 4000), fc.constant(80)),
  budget: fc.oneof({ arbitrary: ms(300, 12_000), weight: 6 }, ms(0, 300), fc.constant(0)),
  speech: fc.oneof(
    { arbitrary: fc.double({ min: 0.6, max: 1.5, noNaN: true }), weight: 6 },
    fc.double({ min: 0, max: 4, noNaN: true }),
    fc.constantFrom(0, 1),
  ),
  more: fc.oneof({ arbitrary: fc.constant(0), weight: 6 }, ms(0, 20_000)),
  rewriteRounds: ms(0, 2),
})

/** Sets of lines of 0 to 24 lines, from the start of the file to its end or beyond. */
export const someFitCase: fc.Arbitrary<FitCase> = fc
  .record({
    given: fc.array(someLine, { maxLength: 24 }),
    lead: fc.oneof(fc.constant(0), ms(0, 2000)),
    tail: fc.oneof(fc.constant(0), ms(0, 2000), ms(-5000, 0)),
    policy: fc.constantFrom('natural', 'strict'),
    band: fc.constantFrom(...bands),
    rate: fc.option(fc.constantFrom(...rates), { freq: 4, nil: undefined }),
  })
  .map(({ given, lead, tail, policy, band, rate }) => {
    const lines: FitLine[] = []
    let [start, end] = [0, lead]
    for (const [index, { gap, budget, speech, more, rewriteRounds }] of given.entries()) {
      start = Math.max(start, index === 0 ? lead : end + gap)
      end = Math.max(end, start + budget)
      const synth = Math.round(budget * speech) + more
      lines.push({ start, end: start + budget, synth, rewriteRounds })
    }
    const duration = Math.max(0, end + tail)
    return { lines, options: { policy, band, duration, ...(rate && { rate }) } }
  })

/** Spans of lines that do not overlap: each from the end of the one before, within the source. */
export function spansOf({ lines, options }: FitCase): { readonly start: number; readonly end: number }[] {
  let free = 0
  return lines.map(({ start, end }) => {
    const from = Math.min(options.duration, Math.max(free, start))
    free = Math.max(from, Math.min(options.duration, end))
    return { start: from, end: free }
  })
}
