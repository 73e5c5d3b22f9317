import { splitIntoCues, minCueMs, type TimedText, type Cue } from './cut.ts'
import { stripPunctuation } from './strip-punctuation.ts'
import type { LineLimit } from './wrap.ts'

/** A shorter pause than this is not shown: the entry stays until the next one, ms. */
const maxClosedPauseMs = 300

/**
 * Entries of what is said, in its order: each within the room, none overlapping the next, none of no time. Short
 * pauses are closed, short entries last a little longer where nothing is said after them.
 */
export function cuesFromSpeech(
  segments: readonly TimedText[],
  { strip, ...room }: LineLimit & { readonly lines: number; readonly strip: boolean },
): Cue[] {
  const written = (text: string) => (strip ? stripPunctuation(text) : text.trim())
  const shown = withoutOverlaps(segments.filter(({ text }) => written(text) !== ''))
    .flatMap((segment) => splitIntoCues(segment, room))
    .map((entry) => ({ ...entry, lines: entry.lines.map(written).filter((line) => line !== '') }))
    .filter(({ lines, start, end }) => lines.length > 0 && end > start)
  return shown.map((entry, index) => ({ ...entry, end: cueEnd(entry, shown[index + 1]?.start) }))
}

/** Where two speak at once, the first ends as the second begins, unless hardly any time were left for it. */
function withoutOverlaps(segments: readonly TimedText[]): TimedText[] {
  const sorted = segments.toSorted((one, other) => one.start - other.start)
  let free = Number.NEGATIVE_INFINITY
  return sorted.map(({ start, end, text }, index) => {
    const from = Math.max(start, free)
    const least = Math.max(1, Math.min(end - start, minCueMs))
    free = Math.max(from + least, Math.min(end, sorted[index + 1]?.start ?? end))
    return { start: from, end: free, text }
  })
}

function cueEnd({ start, end }: Cue, next = Number.POSITIVE_INFINITY): number {
  if (next - end < maxClosedPauseMs) return next
  return Math.min(next, Math.max(end, start + minCueMs))
}
