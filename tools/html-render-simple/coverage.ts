import type { Rational } from '../../src/contract/media-facts.ts'
import { splitIntoRuns, frameSpan, type FrameSpan } from '../../src/engines/chromium/frame-spans.ts'

interface BeatTime {
  /** In seconds. */
  readonly start: number
  readonly duration: number
}

/** Frames on which any particle shows, as those that are captured: in order and apart. */
export function coveredFrames(
  beats: readonly BeatTime[],
  { rate, frames }: { rate: Rational; frames: number },
): FrameSpan[] {
  const spans = beats.map((beat) => frameSpan(beat, { fps: rate.num / rate.den, frames }))
  return splitIntoRuns(spans, Infinity)
}
