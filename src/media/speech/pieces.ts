import type { TimeSpan } from './spoken.ts'

/** A pause that ends a piece, though there were room for more, seconds. */
const maxPauseSeconds = 2

/**
 * Groups spans of speech into pieces for a recogniser, none longer than that takes: long speech is cut where speech is
 * least likely, in the later half of what fits. `probabilities` are of frames of so many seconds.
 */
export function recognitionChunks(
  spans: readonly TimeSpan[],
  {
    longest,
    frame,
    probabilities,
  }: { readonly longest: number; readonly frame: number; readonly probabilities: ArrayLike<number> },
): TimeSpan[] {
  const pieces: TimeSpan[] = []
  for (const span of spans.flatMap(cut)) {
    const last = pieces.at(-1)
    if (last && span.start - last.end < maxPauseSeconds && span.end - last.start <= longest) {
      pieces[pieces.length - 1] = { start: last.start, end: span.end }
    } else pieces.push(span)
  }
  return pieces

  function cut(span: TimeSpan): TimeSpan[] {
    const parts: TimeSpan[] = []
    let { start } = span
    while (span.end - start > longest) {
      const end = quietest(start + longest / 2, start + longest)
      parts.push({ start, end })
      start = end
    }
    return [...parts, { start, end: span.end }]
  }

  function quietest(from: number, to: number): number {
    let best = Math.floor(to / frame)
    for (let at = best; at > from / frame; at -= 1) {
      if ((probabilities[at] ?? 1) < (probabilities[best] ?? 1)) best = at
    }
    return best * frame
  }
}
