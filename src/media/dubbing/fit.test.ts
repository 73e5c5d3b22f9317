import { soakSize } from '../../../test/soak-size.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brokenLaws } from '../../../test/dubbing/fit-laws.ts'
import { type FitCase, someFitCase } from '../../../test/dubbing/some-lines.ts'
import { typicalLines } from '../../../test/dubbing/typical-lines.ts'
import { seededRandom } from '../../../test/service/kill-rounds.ts'
import { type FitLine, fitLines, type FitOptions } from './fit.ts'

const runs = { numRuns: soakSize(3000, 10_000), seed: 23 }

describe('any set of lines', () => {
  it('keeps every law', () => {
    fc.assert(
      fc.property(someFitCase, (fitCase) => {
        expect(brokenLaws(fitCase)).toEqual([])
      }),
      runs,
    )
  })

  it('has the same places when it is fitted again with the durations that it got', () => {
    fc.assert(
      fc.property(someFitCase, ({ lines, options }) => {
        const fit = fitLines(lines, options)
        const again = fitLines(
          lines.map((line, index) => ({ ...line, synth: fit.lines[index]?.durMs ?? 0 })),
          { ...options, band: [1, 1] },
        )
        // Of the steps only those remain that change the place.
        const places = (each: typeof fit) =>
          each.lines.map((line) => ({ ...line, speed: 1, trimMs: 0, action: 'fit' }))
        expect(places(again)).toEqual(places(fit))
        expect(again.freezePoints).toEqual(fit.freezePoints)
        expect(again.lines.filter(({ trimMs }) => trimMs > 0)).toEqual([])
      }),
      runs,
    )
  })

  it('needs no step where all speech fits', () => {
    fc.assert(
      fc.property(someFitCase, ({ lines, options }) => {
        let free = 0
        const short = lines.map((line): FitLine => {
          const start = Math.min(options.duration, Math.max(free, line.start))
          free = Math.max(start, Math.min(options.duration, line.end))
          const room = Math.floor((free - start) * options.band[0])
          return { ...line, start, end: free, synth: Math.min(line.synth, room) }
        })
        const fit = fitLines(short, options)
        const steps = fit.lines.map(({ action, stMs, delayMs, trimMs }) => ({
          action,
          stMs,
          delayMs,
          trimMs,
        }))
        expect(steps).toEqual(
          short.map(({ start }) => ({ action: 'fit', stMs: start, delayMs: 0, trimMs: 0 })),
        )
        expect(fit.duration).toBe(options.duration)
      }),
      { ...runs, numRuns: 2000 },
    )
  })

  it('has the same places whichever of equal lines was rewritten', () => {
    fc.assert(
      fc.property(
        someFitCase,
        fc.infiniteStream(fc.integer({ min: 0, max: 2 })),
        ({ lines, options }, rounds) => {
          const others = lines.map((line) => ({ ...line, rewriteRounds: rounds.next().value }))
          const places = (each: readonly FitLine[]) =>
            fitLines(each, options).lines.map((line) => ({ ...line, rewriteRounds: 0 }))
          expect(places(others)).toEqual(places(lines))
        },
      ),
      { ...runs, numRuns: 1000 },
    )
  })
})

/** Units of 40 ms keep the number of divisions of the gaps small. */
const unit = 40
const units = (max: number) => fc.integer({ min: 0, max }).map((count) => count * unit)

it('borrows as much as any division of the gaps allows', () => {
  const some = fc.array(fc.record({ gap: units(12), budget: units(30), need: units(14) }), {
    ...{ minLength: 1, maxLength: 4 },
  })
  fc.assert(
    fc.property(some, units(12), (given, tail) => {
      let end = 0
      const lines = given.map(({ gap, budget, need }): FitLine => {
        const start = end + gap
        end = start + budget
        return { start, end, synth: budget + need, rewriteRounds: 0 }
      })
      const fit = fitLines(lines, { policy: 'strict', band: [1, 1], duration: end + tail })
      const borrowed = fit.lines.reduce((sum, line) => sum + line.borrowedBeforeMs + line.borrowedAfterMs, 0)
      const gaps = given.map(({ gap }, index) => (index === 0 ? gap : Math.max(0, gap - 80)))
      expect(borrowed).toBe(
        mostBorrowed(
          given.map(({ need }) => need),
          [...gaps, tail],
        ),
      )
    }),
    { ...runs, numRuns: 2000 },
  )
})

/** Greatest sum that lines can borrow, by trying all divisions of the gaps. */
function mostBorrowed(needs: readonly number[], gaps: readonly number[]): number {
  const best = (index: number, before: number): number => {
    const need = needs[index]
    if (need === undefined) return 0
    const gap = gaps[index + 1] ?? 0
    let most = 0
    for (let after = 0; after <= gap; after += unit)
      most = Math.max(most, Math.min(need, Math.min(200, before) + after) + best(index + 1, gap - after))
    return most
  }
  return best(0, gaps[0] ?? 0)
}

describe('steps of the fit', () => {
  const line = (start: number, end: number, synth: number): FitLine => ({
    start,
    end,
    synth,
    rewriteRounds: 0,
  })
  const strict: FitOptions = { policy: 'strict', band: [1, 1.1], duration: 20_000 }
  const natural: FitOptions = { ...strict, policy: 'natural', rate: { num: 25, den: 1 } }
  /** Keeps the global speed at 1: speech far shorter than its time, far from the others. */
  const silence = line(15_000, 20_000, 1000)
  const fitted = (lines: readonly FitLine[], options = strict) => fitLines([...lines, silence], options).lines

  it('borrow after the line, then before it', () => {
    const [one] = fitted([line(1000, 3000, 2300)])
    expect(one).toMatchObject({ action: 'borrow', borrowedAfterMs: 300, stMs: 1000, durMs: 2300, speed: 1 })
    const [, other] = fitted([line(1000, 3000, 2000), line(3500, 5500, 2300), line(5700, 7000, 1300)])
    expect(other).toMatchObject({ borrowedAfterMs: 120, borrowedBeforeMs: 180, stMs: 3320, action: 'borrow' })
  })

  it('leave 80 ms where both neighbours borrow', () => {
    const [one, other] = fitted([line(0, 2000, 2150), line(2300, 4300, 4300), line(4300, 5000, 700)])
    expect(one).toMatchObject({ borrowedAfterMs: 150 })
    expect(other).toMatchObject({ borrowedBeforeMs: 70, stMs: 2230 })
  })

  it('yield the surplus of the next line, which starts late', () => {
    const lines = [line(0, 2000, 2400), line(2000, 4000, 1500), line(4000, 6000, 2000)]
    const [one, next] = fitted(lines)
    expect(one).toMatchObject({ action: 'yield', yieldedAfterMs: 400, durMs: 2400, delayMs: 0 })
    expect(next).toMatchObject({ action: 'fit', delayMs: 400, stMs: 2400, durMs: 1500, padAfterMs: 100 })
  })

  it('yield the surplus of the line before, which ends early', () => {
    const [one, next] = fitted([line(0, 2000, 1500), line(2000, 4000, 2150), line(4000, 6000, 2000)])
    expect(one).toMatchObject({ action: 'fit', padAfterMs: 350 })
    expect(next).toMatchObject({ action: 'yield', yieldedBeforeMs: 150, stMs: 1850 })
  })

  it('boost as little as possible', () => {
    const [one] = fitted([line(0, 2000, 2100), line(2000, 4000, 2000)])
    expect(one).toMatchObject({ action: 'boost', speed: 1.05, durMs: 2000, trimMs: 0 })
  })

  it('freeze whole frames in a natural dub, and speak slower in them', () => {
    const [one, next] = fitted([line(0, 2000, 2230), line(2000, 4000, 2000)], natural)
    expect(one).toMatchObject({ action: 'freeze', freezeMs: 40, durMs: 2040 })
    expect(one?.speed).toBeCloseTo(2230 / 2040, 5)
    expect(next).toMatchObject({ stMs: 2040, delayMs: 0 })
    const fit = fitLines([line(0, 2000, 2230), line(2000, 4000, 2000), silence], natural)
    expect(fit).toMatchObject({ freezePoints: [{ at: 2000, ms: 40 }], duration: 20_040, freezeCapHit: false })
  })

  it('freeze at most 3 %, for the lines that need least', () => {
    const lines = [line(0, 2000, 3000), line(2000, 4000, 2250), line(4000, 6000, 2000)]
    const fit = fitLines([...lines, silence], natural)
    expect(fit.lines.map(({ freezeMs }) => freezeMs)).toEqual([520, 80, 0, 0])
    expect(fit).toMatchObject({ freezeCapHit: true, overBandLines: 0, duration: 20_600 })
    expect(fit.lines[0]).toMatchObject({ action: 'trim', trimMs: 207, speed: 1.1 })
  })

  it('trim in a strict dub, and count a line that loses more than 300 ms', () => {
    const lines = [line(0, 2000, 2300), line(2000, 4000, 3000), line(4000, 6000, 2000)]
    const fit = fitLines([...lines, silence], strict)
    expect(fit.lines.map(({ trimMs }) => trimMs)).toEqual([91, 727, 0, 0])
    expect(fit).toMatchObject({ overBandLines: 1, freezePoints: [], duration: 20_000 })
  })

  it('need no picture for sound', () => {
    const sound: FitOptions = { policy: 'natural', band: [1, 1.1], duration: 20_000 }
    const [one] = fitted([line(0, 2000, 2300), line(2000, 4000, 2000)], sound)
    expect(one).toMatchObject({ action: 'trim', trimMs: 91, freezeMs: 0 })
  })

  it('lay lines that overlap one after the other', () => {
    const [one, other] = fitted([line(0, 5000, 4000), line(1000, 6000, 1000)])
    expect(one).toMatchObject({ stMs: 0, durMs: 4000 })
    expect(other).toMatchObject({ stMs: 5000, durMs: 1000 })
  })
})

it.each<[string, FitCase]>([
  ['no lines', { lines: [], options: { policy: 'natural', band: [0.95, 1.15], duration: 1000 } }],
  [
    'one line longer than the file',
    {
      lines: [{ start: 0, end: 9000, synth: 9000, rewriteRounds: 2 }],
      options: { policy: 'natural', band: [0.95, 1.15], duration: 2000, rate: { num: 30, den: 1 } },
    },
  ],
  [
    'no time at all',
    {
      lines: [{ start: 0, end: 0, synth: 900, rewriteRounds: 0 }],
      options: { policy: 'strict', band: [0.95, 1.15], duration: 0, rate: { num: 30, den: 1 } },
    },
  ],
])('%s: keeps the laws', (_, fitCase) => {
  expect(brokenLaws(fitCase)).toEqual([])
})

it('of typical lines trims less than 5 %, and starts 90 % within 200 ms of the source', () => {
  const { lines, duration } = typicalLines({ count: 14_000, mean: 1, random: seededRandom(23) })
  const fit = fitLines(lines, { policy: 'strict', band: [0.95, 1.15], duration })
  const whole = fit.lines.filter(({ trimMs }) => trimMs === 0)
  const onTime = fit.lines.filter(({ stMs }, index) => Math.abs(stMs - (lines[index]?.start ?? 0)) <= 200)
  expect(whole.length / lines.length).toBeGreaterThan(0.95)
  expect(onTime.length / lines.length).toBeGreaterThan(0.9)
})
