import type { FitLine } from './fit.ts'
import { type ShareTimeOptions, shareTime, slotLength } from './line-slots.ts'

/** A line whose text should be rewritten in another length. */
export interface LineToRewrite {
  readonly index: number
  readonly direction: 'shorter' | 'longer'
  /** Duration of speech at speed 1 to aim at, ms. */
  readonly target: number
}

/** Most rounds of rewriting a line. */
const maxRounds = 2

/** How much faster than the others a line may be without a rewriting: a difference that is hardly heard. */
const unnoticedBoost = 1.05

/** A line is too short if its speech is a smaller share of its time, and leaves more silence, ms. */
const tooShort = { share: 0.75, silence: 400 }

/** Share of its time at which a rewriting aims, as texts come out longer or shorter than asked for. */
const aim = 0.95

/**
 * Returns the lines that a rewriting helps: that need to be spoken noticeably faster than the others even with borrowed and
 * yielded time, or that leave much of their time silent. Lines that were rewritten twice are left out. Called after each
 * round, before the last fit.
 */
export function linesToRewrite(lines: readonly FitLine[], options: ShareTimeOptions): LineToRewrite[] {
  const { ratio, slots } = shareTime(lines, options)
  const boost = Math.min(unnoticedBoost, options.band[1] / ratio)
  return slots.flatMap((slot, index): LineToRewrite[] => {
    const room = slotLength(slot)
    const target = Math.floor(room * ratio * aim)
    if ((lines[index]?.rewriteRounds ?? 0) >= maxRounds || target === 0 || slot.synth === 0) return []
    if (slot.natural > room * boost) return [{ index, direction: 'shorter', target }]
    const isShort = slot.natural < room * tooShort.share && room - slot.natural > tooShort.silence
    return isShort ? [{ index, direction: 'longer', target }] : []
  })
}
