import type { Rational } from '../../src/contract/media-facts.ts'
import { runsOf, spanOf, type Span } from '../../src/engines/chromium/schedule.ts'

interface Shown {
  /** In seconds. */
  readonly start: number
  readonly duration: number
}

/** Frames on which any particle shows, as those that are captured: in order and apart. */
export function coverage(
  beats: readonly Shown[],
  { rate, frames }: { rate: Rational; frames: number },
): Span[] {
  const spans = beats.map((beat) => spanOf(beat, { fps: rate.num / rate.den, frames }))
  return runsOf(spans, Infinity)
}
