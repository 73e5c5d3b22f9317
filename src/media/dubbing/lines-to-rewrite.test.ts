import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { someFitCase } from '../../../test/dubbing/some-lines.ts'
import { type FitLine, fitLines, type FitOptions } from './fit.ts'
import { linesToRewrite } from './lines-to-rewrite.ts'

const options: FitOptions = { policy: 'strict', band: [0.95, 1.15], duration: 20_000 }
const line = (start: number, end: number, synth: number, rewriteRounds = 0): FitLine => ({
  ...{ start, end, synth, rewriteRounds },
})

describe('lines to rewrite', () => {
  it('are those that are too long even with the time of gaps and neighbours', () => {
    const lines = [
      ...[line(0, 4000, 5000), line(4000, 8000, 4000), line(8000, 12_000, 4000)],
      ...[line(12_000, 15_000, 3400), line(15_500, 18_500, 1600)],
    ]
    const { ratio } = fitLines(lines, options)
    expect(ratio).toBe(1)
    expect(linesToRewrite(lines, options)).toEqual([
      { index: 0, direction: 'shorter', target: 3800 },
      { index: 4, direction: 'longer', target: 2850 },
    ])
  })

  it('are those whose speech leaves their time silent', () => {
    // The last line is short: nobody notices 350 ms of silence.
    const lines = [line(0, 4000, 2900), line(5000, 9000, 3100), line(10_000, 11_000, 650)]
    expect(linesToRewrite(lines, { ...options, band: [1, 1.15] })).toEqual([
      { index: 0, direction: 'longer', target: 3800 },
    ])
  })

  it('are not those that need to be only a little faster', () => {
    const little = [line(0, 4000, 4180), line(4000, 8000, 4000), line(8000, 12_000, 4000)]
    const more = [line(0, 4000, 4000), line(4000, 8000, 4240), line(8000, 12_000, 4000)]
    const fixed = { ...options, band: [1, 1.15] as const, duration: 13_000 }
    // A global speed of 1 needs less speech than time.
    const rest = line(12_000, 13_000, 600)
    expect(linesToRewrite([...little, rest], fixed)).toEqual([])
    expect(linesToRewrite([...more, rest], fixed)).toMatchObject([{ index: 1 }])
  })

  it('are not those whose silence a neighbour needs', () => {
    const lines = [line(0, 4000, 4450), line(4000, 6000, 1450), line(6000, 10_000, 4100)]
    expect(linesToRewrite(lines, { ...options, band: [1, 1.15] })).toEqual([])
  })

  it('are not those that were rewritten twice', () => {
    const lines = [line(0, 4000, 6000, 1), line(4000, 8000, 6000, 2), line(8000, 12_000, 6000, 0)]
    const indexes = linesToRewrite(lines, { ...options, duration: 12_000 }).map(({ index }) => index)
    expect(indexes).toEqual([0, 2])
  })

  it('without a faster speed are also those that are a little too long', () => {
    const lines = [line(0, 4000, 4100), line(4000, 8000, 4000)]
    const narrow = { ...options, band: [1, 1] as const, duration: 8000 }
    expect(linesToRewrite(lines, narrow)).toEqual([{ index: 0, direction: 'shorter', target: 3800 }])
  })

  it('of one millisecond are not rewritten in the same length', () => {
    const lines = [line(0, 300, 0), line(300, 600, 282), line(600, 601, 1), line(681, 981, 192)]
    const found = linesToRewrite(lines, { band: [0.5, 1.3], duration: 981 })
    for (const { index, target } of found) expect(target).toBeLessThan(lines[index]?.synth ?? 0)
  })

  it('have a target between their speech and their time', () => {
    fc.assert(
      fc.property(someFitCase, ({ lines, options: given }) => {
        const fit = fitLines(lines, given)
        const found = linesToRewrite(lines, given)
        const wrong = found.filter(({ index, direction, target }) => {
          const [asked, fitted] = [lines[index], fit.lines[index]]
          if (!asked || !fitted || asked.rewriteRounds >= 2) return true
          if (!Number.isInteger(target) || target <= 0) return true
          const { action, trimMs, padAfterMs } = fitted
          return direction === 'longer'
            ? !(target > asked.synth && action === 'fit' && trimMs === 0 && padAfterMs > 400)
            : !(target < asked.synth && ['boost', 'freeze', 'trim'].includes(action))
        })
        const indexes = new Set(found.map(({ index }) => index))
        const forgotten = fit.lines.filter(({ trimMs, durMs, freezeMs }, index) => {
          // Without any time of its own, no text would fit.
          const isHelpless = durMs - freezeMs <= 1
          return trimMs > 1 && !isHelpless && (lines[index]?.rewriteRounds ?? 0) < 2 && !indexes.has(index)
        })
        expect({ wrong, forgotten }).toEqual({ wrong: [], forgotten: [] })
      }),
      { numRuns: 10_000, seed: 23 },
    )
  })

  it('fit when their rewritten speech is as long as the target', () => {
    fc.assert(
      fc.property(someFitCase, ({ lines, options: given }) => {
        // A fixed global speed: of a band, all speech together decides.
        const fixed = { ...given, band: [1, 1] as const }
        const targets = new Map(linesToRewrite(lines, fixed).map(({ index, target }) => [index, target]))
        const rewritten = lines.map((each, index) => ({ ...each, synth: targets.get(index) ?? each.synth }))
        const again = linesToRewrite(rewritten, fixed)
        expect(again.filter(({ index }) => targets.has(index))).toEqual([])
      }),
      { numRuns: 2000, seed: 23 },
    )
  })
})
