import { fitReport } from '../src/media/dubbing/alignment.ts'
import { type FitLine, fitLines, type FitOptions } from '../src/media/dubbing/fit.ts'
import { linesToRewrite } from '../src/media/dubbing/lines-to-rewrite.ts'
import { normal, typicalLines } from '../test/dubbing/typical-lines.ts'
import { seededRandom } from '../test/service/kill-rounds.ts'

// The fitting of dubbed lines: hours of lines whose speech lasts 0.7 to 1.3 times as long as their time, log-normal around
// four means, with gaps of 0.1 to 0.8 s. Rewritten lines miss their target by a deviation of 10 %.
// npm run bench -- dubbing-fit

const random = seededRandom(23)
const hours = 20
const linesPerHour = 700

const someHour = (mean: number) => typicalLines({ count: linesPerHour, mean, random })

function rewritten(lines: readonly FitLine[], options: FitOptions): FitLine[] {
  const targets = new Map(linesToRewrite(lines, options).map(({ index, target }) => [index, target]))
  return lines.map((line, index) => {
    const target = targets.get(index)
    if (target === undefined) return line
    const synth = Math.round(target * Math.exp(0.1 * normal(random)))
    return { ...line, synth, rewriteRounds: line.rewriteRounds + 1 }
  })
}

/** Shares of lines, percent, and of silence in their time. */
function figures(sets: readonly (readonly FitLine[])[], options: readonly FitOptions[]): string {
  const counts = { lines: 0, whole: 0, onTime: 0, overBand: 0, delayed: 0, boosted: 0, frozen: 0 }
  let [silence, budget] = [0, 0]
  for (const [index, lines] of sets.entries()) {
    const set = options[index]
    if (!set) continue
    const fit = fitLines(lines, set)
    const report = fitReport(fit)
    let frozen = 0
    for (const [at, line] of fit.lines.entries()) {
      const { start, end } = lines[at] ?? { start: 0, end: 0 }
      if (Math.abs(line.stMs - frozen - start) <= 200) counts.onTime += 1
      frozen += line.freezeMs
      silence += line.padAfterMs
      budget += end - start
    }
    counts.lines += report.lines_count
    counts.whole += report.lines_count - report.trimmed_lines
    counts.overBand += report.over_band_lines
    counts.delayed += report.delayed_lines
    counts.frozen += report.freeze_total_ms
    counts.boosted += fit.lines.filter(({ speed }) => speed > fit.ratio).length
  }
  const percent = (count: number, of = counts.lines) => `${((100 * count) / of).toFixed(1)} %`
  return (
    `not trimmed ${percent(counts.whole)}, starts within 200 ms ${percent(counts.onTime)}, ` +
    `over band ${percent(counts.overBand)}, boosted ${percent(counts.boosted)}, delayed ${percent(counts.delayed)}, ` +
    `silent ${percent(silence, budget)}, frozen ${percent(counts.frozen, budget)}`
  )
}

for (const mean of [0.7, 0.85, 1, 1.15]) {
  const made = Array.from({ length: hours }, () => someHour(mean))
  for (const policy of ['strict', 'natural'] as const) {
    const options = made.map(({ duration }): FitOptions => ({
      ...{ policy, band: [0.95, 1.15], duration, rate: { num: 25, den: 1 } },
    }))
    let sets: (readonly FitLine[])[] = made.map(({ lines }) => lines)
    for (let round = 0; round <= 2; round += 1) {
      console.log(`mean ${mean}, ${policy}, ${round} rewritings: ${figures(sets, options)}`)
      sets = sets.map((lines, index) => (options[index] ? rewritten(lines, options[index]) : lines))
    }
  }
}

const many = Array.from({ length: 15 }, () => someHour(1))
let shift = 0
const all = many.flatMap(({ lines, duration }) => {
  const moved = lines.map((line) => ({ ...line, start: line.start + shift, end: line.end + shift }))
  shift += duration
  return moved
})
const started = performance.now()
fitLines(all, { policy: 'natural', band: [0.95, 1.15], duration: shift, rate: { num: 25, den: 1 } })
console.log(`${all.length} lines: ${(performance.now() - started).toFixed(0)} ms`)
