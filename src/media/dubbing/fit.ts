import type { Rational } from '../../contract/media-facts.ts'
import { allotFreezes, type Freeze } from './freezes.ts'
import type { FreezePoint } from './held-frames.ts'
import {
  type LineSlot,
  type ShareTimeOptions,
  shareTime,
  slotLength,
  slotStart,
  speedFor,
  type SpokenSpan,
} from './line-slots.ts'

/** A line of speech to fit to the source, in whole milliseconds. */
export interface FitLine extends SpokenSpan {
  /** Number of times its text was rewritten, 0 to 2. */
  readonly rewriteRounds: number
}

export interface FitOptions extends ShareTimeOptions {
  readonly policy: 'natural' | 'strict'
  /** Picture rate; absent for sound, which has no freezes. */
  readonly rate?: Rational
}

/** The last step that a line needs. */
export type FitAction = 'fit' | 'borrow' | 'yield' | 'boost' | 'freeze' | 'trim'

/**
 * A line in the output; fields of the alignment record. Times are whole milliseconds, `stMs` of the output: source time and
 * the freezes of the lines before. The slot of a line is its source span with what it borrows, receives and freezes, without
 * what it passes to neighbours.
 */
export interface FittedLine {
  readonly stMs: number
  /** Duration after speed and trim. */
  readonly durMs: number
  readonly speed: number
  /** Taken from the gaps before and after. */
  readonly borrowedBeforeMs: number
  readonly borrowedAfterMs: number
  /** Received from the line before, which ends earlier, and from the line after, whose delay it is. */
  readonly yieldedBeforeMs: number
  readonly yieldedAfterMs: number
  /** Passed to the line before: how much later this line starts than its source. */
  readonly delayMs: number
  /** Silence of the slot before and after the speech. */
  readonly padBeforeMs: number
  readonly padAfterMs: number
  /** Freeze at its end. */
  readonly freezeMs: number
  /** Removed from its tail. */
  readonly trimMs: number
  readonly rewriteRounds: number
  readonly action: FitAction
}

/** All lines of a dub in their places. */
export interface Fit {
  /** Global speed. */
  readonly ratio: number
  readonly lines: readonly FittedLine[]
  /** In order of time; the freezes of lines that end together are one. */
  readonly freezePoints: readonly FreezePoint[]
  /** Whether lines need more freezes than the limit. */
  readonly freezeCapHit: boolean
  /** Number of lines that lose more than a trim may remove. */
  readonly overBandLines: number
  /** Duration of the output, ms. */
  readonly duration: number
}

const noFreeze: Freeze = { ms: 0, usable: 0 }

/** Most that a trim removes, ms. */
export const maxTrim = 300

/**
 * Places lines, which are in the order of the source. Each is at least at the global speed. A line too long for its time
 * borrows from gaps, receives surplus of its neighbours, is spoken faster within the band, freezes the picture (only
 * natural), and finally loses its tail. Takes n log n time.
 */
export function fitLines(lines: readonly FitLine[], options: FitOptions): Fit {
  const { policy, band, duration, rate } = options
  const { ratio, slots } = shareTime(lines, options)
  const [, fastest] = band
  const needs = slots.map((slot) => Math.max(0, Math.round(slot.synth / fastest) - slotLength(slot)))
  const { lines: freezes, capHit } =
    policy === 'natural' && rate
      ? allotFreezes(needs, { duration, rate })
      : { lines: needs.map(() => noFreeze), capHit: false }
  let frozen = 0
  const fitted = slots.map((slot, index) => {
    const freeze = freezes[index] ?? noFreeze
    const speech = speechIn(slot, slotLength(slot) + freeze.usable, { ratio, fastest })
    const line = fittedLine(slot, { ...speech, freeze: freeze.ms, frozen })
    frozen += freeze.ms
    return { ...line, rewriteRounds: lines[index]?.rewriteRounds ?? 0 }
  })
  return {
    ...{ ratio, lines: fitted, freezePoints: freezePoints(slots, freezes) },
    freezeCapHit: capHit,
    overBandLines: fitted.filter(({ trimMs }) => trimMs > maxTrim).length,
    duration: duration + frozen,
  }
}

/** How a line is spoken. */
interface Speech {
  readonly speed: number
  /** Duration, and the tail that it loses, ms. */
  readonly length: number
  readonly trim: number
  readonly isBoosted: boolean
}

/** Speaks a line as slowly as its time allows, and removes what is too long even at the greatest speed. */
function speechIn(
  { synth, natural }: LineSlot,
  room: number,
  { ratio, fastest }: { readonly ratio: number; readonly fastest: number },
): Speech {
  if (natural <= room) return { speed: ratio, length: natural, trim: 0, isBoosted: false }
  const speed = room > 0 ? Math.min(fastest, speedFor(synth, room)) : fastest
  const whole = Math.round(synth / speed)
  const length = Math.min(whole, room)
  return { speed, length, trim: whole - length, isBoosted: speed > ratio }
}

interface FittedLineOptions extends Speech {
  /** Freeze of the line, and of all lines before, ms. */
  readonly freeze: number
  readonly frozen: number
}

function fittedLine(
  slot: LineSlot,
  { speed, length, trim, isBoosted, freeze, frozen }: FittedLineOptions,
): Omit<FittedLine, 'rewriteRounds'> {
  const { borrowedBefore, borrowedAfter, yieldedBefore, yieldedAfter } = slot
  const steps: readonly (readonly [FitAction, boolean])[] = [
    ['trim', trim > 0],
    ['freeze', freeze > 0],
    ['boost', isBoosted],
    ['yield', yieldedBefore + yieldedAfter > 0],
    ['borrow', borrowedBefore + borrowedAfter > 0],
  ]
  return {
    ...{ stMs: slotStart(slot) + frozen, durMs: length, speed },
    ...{ borrowedBeforeMs: borrowedBefore, borrowedAfterMs: borrowedAfter },
    ...{ yieldedBeforeMs: yieldedBefore, yieldedAfterMs: yieldedAfter, delayMs: slot.passedBefore },
    // Speech starts with its slot, as close to the source as it may.
    ...{ padBeforeMs: 0, padAfterMs: slotLength(slot) + freeze - length },
    ...{ freezeMs: freeze, trimMs: trim },
    action: steps.find(([, isUsed]) => isUsed)?.[0] ?? 'fit',
  }
}

function freezePoints(slots: readonly LineSlot[], freezes: readonly Freeze[]): FreezePoint[] {
  const points: FreezePoint[] = []
  for (const [index, { end: at }] of slots.entries()) {
    const { ms } = freezes[index] ?? noFreeze
    if (ms === 0) continue
    const last = points.at(-1)
    if (last?.at === at) points[points.length - 1] = { at, ms: last.ms + ms }
    else points.push({ at, ms })
  }
  return points
}
