import { firstIndex } from '../first-index.ts'
import type { Rational } from '../../contract/media-facts.ts'
import { frameTime } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { TimedWord, TimeSpan } from '../speech/speech-types.ts'

/** Converts a source time to the time on the output, both in seconds. */
export type OutputTime = (seconds: number) => number

/** A kept range with its times, seconds. */
interface OutputRange extends TimeSpan {
  /** Start and end on the output. */
  readonly output: TimeSpan
}

/** Kept ranges in the order of the output, with their times. */
function outputRanges(ranges: readonly FrameSpan[], rate: Rational): OutputRange[] {
  let total = 0
  return ranges.map(({ first, end }) => {
    const start = frameTime(total, rate)
    total += end - first
    const output = { start, end: frameTime(total, rate) }
    return { start: frameTime(first, rate), end: frameTime(end, rate), output }
  })
}

/** Time on the output of a source time, limited to a range. */
function timeInRange({ start, output }: OutputRange, seconds: number): number {
  return Math.min(output.end, output.start + Math.max(0, seconds - start))
}

/**
 * Returns the conversion of source times to times on the output that consists of `ranges`, disjoint source frames in the
 * order of the output. Removed times become the start of the range that follows in the source, later times the end of
 * the source's last range. If the ranges ascend, it never decreases.
 */
export function outputTimes(ranges: readonly FrameSpan[], rate: Rational): OutputTime {
  const sorted = bySource(outputRanges(ranges, rate))
  return (seconds) => {
    const range = sorted[firstEndingAfter(sorted, seconds)] ?? sorted.at(-1)
    return range ? timeInRange(range, seconds) : 0
  }
}

function bySource(ranges: readonly OutputRange[]): OutputRange[] {
  return ranges.toSorted((one, other) => one.start - other.start)
}

/** Index of the first range whose end is after a time, or the number of ranges. */
function firstEndingAfter(ranges: readonly OutputRange[], seconds: number): number {
  return firstIndex(ranges, ({ end }) => end > seconds)
}

/**
 * Returns words with their times on the output of `ranges` (see `outputTimes`), seconds. The words are those that are
 * kept; a word whose recognised time is within removed frames gets the time of the cut. A word over several ranges has
 * the length of those that follow each other both in the source and on the output.
 */
export function retimeWords(
  words: readonly TimedWord[],
  ranges: readonly FrameSpan[],
  rate: Rational,
): TimedWord[] {
  const output = outputRanges(ranges, rate)
  const sorted = bySource(output)
  const toOutput = outputTimes(ranges, rate)
  const positions = new Map(output.map((range, index) => [range, index]))
  return words.map((word) => {
    const start = toOutput(word.start)
    let end = start
    let before = -Infinity
    const first = sorted[firstEndingAfter(sorted, word.start)] ?? missing
    for (const range of output.slice(positions.get(first) ?? output.length)) {
      if (range.start < before || range.start >= word.end) break
      end = timeInRange(range, word.end)
      before = range.end
    }
    return { ...word, start, end }
  })
}

/** Range of no time. */
const missing: OutputRange = { start: 0, end: 0, output: { start: 0, end: 0 } }
