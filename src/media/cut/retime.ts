import type { Rational } from '../../contract/media-facts.ts'
import { frameTime } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { TimedWord } from '../speech/speech-types.ts'

/** Converts a source time to the time on the output, both in seconds. */
export type OutputTime = (seconds: number) => number

/**
 * Returns the conversion of source times to times on the output that consists of `ranges`, ascending source frames.
 * It never decreases. Removed times become the cut that replaces them, later times the end of the output.
 */
export function outputTimes(ranges: readonly FrameSpan[], rate: Rational): OutputTime {
  const starts: number[] = []
  let total = 0
  for (const { first, end } of ranges) {
    starts.push(total)
    total += end - first
  }
  return (seconds) => {
    const index = firstRangeEndingAfter(ranges, seconds, rate)
    const range = ranges[index]
    if (!range) return frameTime(total, rate)
    const start = frameTime(starts[index] ?? 0, rate)
    const limit = frameTime((starts[index] ?? 0) + range.end - range.first, rate)
    return Math.min(limit, start + Math.max(0, seconds - frameTime(range.first, rate)))
  }
}

/** Index of the first range whose end is after a time, or the number of ranges. */
function firstRangeEndingAfter(ranges: readonly FrameSpan[], seconds: number, rate: Rational): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (frameTime(ranges[middle]?.end ?? 0, rate) > seconds) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Returns words with their times on the output, seconds. The words are those that are kept; a word whose recognised
 * time is within removed frames gets the time of the cut.
 */
export function retimeWords(words: readonly TimedWord[], toOutput: OutputTime): TimedWord[] {
  return words.map((word) => ({ ...word, start: toOutput(word.start), end: toOutput(word.end) }))
}
