import { type Fit, type FittedLine, fitLines } from '../../src/media/dubbing/fit.ts'
import { type FitCase, spansOf } from './some-lines.ts'

/** What the laws of one line read. */
interface LineFacts {
  readonly line: FittedLine
  readonly before: FittedLine | undefined
  readonly after: FittedLine | undefined
  readonly span: { readonly start: number; readonly end: number }
  readonly synth: number
  readonly fit: Fit
  readonly options: FitCase['options']
  /** Time that may be borrowed before and after, and the pauses of the source, ms. */
  readonly gaps: readonly [before: number, after: number]
  readonly pauses: readonly [before: number, after: number]
  /** Freezes of the lines before, ms. */
  readonly frozen: number
  /** Time that the line and its neighbours do not need at the global speed. */
  readonly surplus: readonly [before: number, own: number, after: number]
}

const fields = [
  ...(['stMs', 'durMs', 'borrowedBeforeMs', 'borrowedAfterMs', 'yieldedBeforeMs', 'yieldedAfterMs'] as const),
  ...(['delayMs', 'padBeforeMs', 'padAfterMs', 'freezeMs', 'trimMs', 'rewriteRounds'] as const),
]

/** Start and end of the time of a line, on the output. */
const slotOf = ({ line, after, span, frozen }: LineFacts) => ({
  start: span.start - line.borrowedBeforeMs - line.yieldedBeforeMs + line.delayMs + frozen,
  end:
    span.end +
    line.borrowedAfterMs +
    line.yieldedAfterMs -
    (after?.yieldedBeforeMs ?? 0) +
    line.freezeMs +
    frozen,
})

/** Laws of each line, by name. */
const lineLaws: Readonly<Record<string, (facts: LineFacts) => boolean>> = {
  'times are whole and not negative': ({ line }) =>
    fields.every((name) => Number.isInteger(line[name]) && line[name] >= 0) && Number.isFinite(line.speed),
  'does not overlap the next line': ({ line, after, pauses, fit }) =>
    after
      ? after.stMs - line.stMs - line.durMs >= Math.min(80, pauses[1])
      : line.stMs + line.durMs <= fit.duration,
  'starts at most 200 ms early': ({ line, span, frozen }) =>
    line.borrowedBeforeMs + line.yieldedBeforeMs <= 200 && line.stMs - frozen >= span.start - 200,
  'starts at most 500 ms late': ({ line, span, frozen }) =>
    line.delayMs <= 500 && line.stMs - frozen <= span.start + 500,
  'has a speed between the global one and the greatest': ({ line, fit, options: { band } }) =>
    line.speed >= fit.ratio && line.speed <= band[1],
  'lasts as long as its speech at this speed, without the trim': ({ line, synth }) =>
    line.durMs === Math.round(synth / line.speed) - line.trimMs,
  'fills its slot with its speech and its pads': (facts) => {
    const { line } = facts
    const { start, end } = slotOf(facts)
    return line.stMs === start + line.padBeforeMs && line.stMs + line.durMs + line.padAfterMs === end
  },
  'borrows from real gaps': ({ line, before, after, gaps }) =>
    line.borrowedBeforeMs + (before?.borrowedAfterMs ?? 0) <= gaps[0] &&
    line.borrowedAfterMs + (after?.borrowedBeforeMs ?? 0) <= gaps[1],
  'receives after it what the next line is delayed by': ({ line, before, after }) =>
    line.yieldedAfterMs === (after?.delayMs ?? 0) &&
    line.delayMs === (before?.yieldedAfterMs ?? 0) &&
    (before !== undefined || line.yieldedBeforeMs === 0),
  'passes only surplus': ({ line, after, surplus }) =>
    line.delayMs + (after?.yieldedBeforeMs ?? 0) <= surplus[1],
  'does not take more than it needs': ({ line, span, synth, fit }) => {
    const taken = line.borrowedBeforeMs + line.borrowedAfterMs + line.yieldedBeforeMs + line.yieldedAfterMs
    return taken <= Math.max(0, Math.round(synth / fit.ratio) - (span.end - span.start))
  },
  'borrows before neighbours yield': ({ line, before, after, gaps }) => {
    const gapBefore = gaps[0] - line.borrowedBeforeMs - (before?.borrowedAfterMs ?? 0)
    const gapAfter = gaps[1] - line.borrowedAfterMs - (after?.borrowedBeforeMs ?? 0)
    const isUsed = gapAfter === 0 && (gapBefore === 0 || line.borrowedBeforeMs === 200)
    return line.yieldedBeforeMs + line.yieldedAfterMs === 0 || isUsed
  },
  'is faster only without time to borrow or receive': ({ line, before, after, gaps, surplus, fit }) => {
    if (line.speed === fit.ratio && line.trimMs === 0 && line.freezeMs === 0) return true
    const gapAfter = gaps[1] - line.borrowedAfterMs - (after?.borrowedBeforeMs ?? 0)
    const gapBefore = gaps[0] - line.borrowedBeforeMs - (before?.borrowedAfterMs ?? 0)
    const early = 200 - line.borrowedBeforeMs - line.yieldedBeforeMs
    const left = surplus[0] - line.yieldedBeforeMs - (before?.delayMs ?? 0)
    return gapAfter === 0 && (early === 0 || (gapBefore === 0 && left === 0))
  },
  'starts early only where the gap after it is used': ({ line, after, gaps }) =>
    line.borrowedBeforeMs === 0 || line.borrowedAfterMs + (after?.borrowedBeforeMs ?? 0) === gaps[1],
  'freezes only what the greatest speed leaves': (facts) => {
    const { line, synth, options } = facts
    const { start, end } = slotOf(facts)
    const frame = options.rate ? (1000 * options.rate.den) / options.rate.num : 0
    const needed = Math.round(synth / options.band[1]) - (end - start - line.freezeMs)
    return line.freezeMs === 0 || (needed > 0 && line.freezeMs < needed + frame + 1)
  },
  'freezes whole frames': ({ line, options: { rate, policy } }) => {
    if (line.freezeMs === 0) return true
    if (!rate || policy === 'strict') return false
    const frames = Math.round((line.freezeMs * rate.num) / (1000 * rate.den))
    return Math.abs((frames * 1000 * rate.den) / rate.num - line.freezeMs) < 1
  },
  'loses speech only at the greatest speed and without freezes left': ({ line, fit, options }) =>
    line.trimMs === 0 ||
    (line.speed === options.band[1] && (options.policy === 'strict' || !options.rate || fit.freezeCapHit)),
  'has the action of its last step': ({ line, fit }) => line.action === lastStep(line, fit.ratio),
}

function lastStep(line: FittedLine, ratio: number): FittedLine['action'] {
  if (line.trimMs > 0) return 'trim'
  if (line.freezeMs > 0) return 'freeze'
  if (line.speed > ratio) return 'boost'
  if (line.yieldedBeforeMs > 0 || line.yieldedAfterMs > 0) return 'yield'
  return line.borrowedBeforeMs > 0 || line.borrowedAfterMs > 0 ? 'borrow' : 'fit'
}

/** Laws of a whole fit, by name. */
const fitLaws: Readonly<Record<string, (fit: Fit, fitCase: FitCase) => boolean>> = {
  'has all lines': (fit, { lines }) =>
    fit.lines.length === lines.length &&
    fit.lines.every(({ rewriteRounds }, index) => rewriteRounds === lines[index]?.rewriteRounds),
  'has a global speed within the band': (fit, { lines, options: { band, ...options } }) => {
    const spans = spansOf({ lines, options: { band, ...options } })
    const speech = lines.reduce((sum, { synth }) => sum + synth, 0)
    const budget = spans.reduce((sum, { start, end }) => sum + end - start, 0)
    const speed = speech === budget ? 1 : speech / budget
    return Math.abs(fit.ratio - Math.min(band[1], Math.max(band[0], speed))) <= 1e-6
  },
  'lasts as long as the source and all freezes': (fit, { options }) => {
    const frozen = fit.lines.reduce((sum, { freezeMs }) => sum + freezeMs, 0)
    const points = fit.freezePoints.reduce((sum, { ms }) => sum + ms, 0)
    return fit.duration === options.duration + frozen && points === frozen
  },
  'freezes at most 3 %': (fit, { options: { duration } }) => 100 * (fit.duration - duration) <= 3 * duration,
  'freezes at the ends of lines, in order': (fit, fitCase) => {
    const ends = spansOf(fitCase).map(({ end }) => end)
    return fit.freezePoints.every(
      ({ at, ms }, index) => ends.includes(at) && ms > 0 && at > (fit.freezePoints[index - 1]?.at ?? -1),
    )
  },
  'hits the limit of freezes only when they are used up': (fit, { options }) => {
    const frame = options.rate ? (1000 * options.rate.den) / options.rate.num : 0
    const left = 0.03 * options.duration - (fit.duration - options.duration)
    return !fit.freezeCapHit || left < frame + 1
  },
  'counts lines over the band': (fit) =>
    fit.overBandLines === fit.lines.filter(({ trimMs }) => trimMs > 300).length,
}

/** Returns the names of the laws that a fit breaks, with the index of the line. */
export function brokenLaws(fitCase: FitCase, fit: Fit = fitLines(fitCase.lines, fitCase.options)): string[] {
  const { options, lines } = fitCase
  const spans = spansOf(fitCase)
  const pauses = [...spans, undefined].map((span, index) => {
    const end = spans[index - 1]?.end ?? 0
    return (span?.start ?? options.duration) - end
  })
  const gaps = pauses.map((pause, index) =>
    index === 0 || index === spans.length ? pause : Math.max(0, pause - 80),
  )
  const surplus = spans.map(({ start, end }, index) =>
    Math.max(0, end - start - Math.round((lines[index]?.synth ?? 0) / fit.ratio)),
  )
  let frozen = 0
  const ofLines = fit.lines.flatMap((line, index) => {
    const facts: LineFacts = {
      ...{ line, before: fit.lines[index - 1], after: fit.lines[index + 1], fit, options, frozen },
      ...{ span: spans[index] ?? { start: 0, end: 0 }, synth: lines[index]?.synth ?? 0 },
      gaps: [gaps[index] ?? 0, gaps[index + 1] ?? 0],
      pauses: [pauses[index] ?? 0, pauses[index + 1] ?? 0],
      surplus: [surplus[index - 1] ?? 0, surplus[index] ?? 0, surplus[index + 1] ?? 0],
    }
    frozen += line.freezeMs
    return Object.entries(lineLaws).flatMap(([name, law]) => (law(facts) ? [] : [`line ${index}: ${name}`]))
  })
  const whole = Object.entries(fitLaws).flatMap(([name, law]) => (law(fit, fitCase) ? [] : [name]))
  return [...whole, ...ofLines]
}
