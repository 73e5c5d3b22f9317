import type { FrameSpan } from '../particle/frame-spans.ts'

/** Ranges whose gaps are at most so long are read together, seconds: opening a file again costs as much. */
const maxGapSeconds = 4

/** Faces are searched so often, per second. A face that crosses a crop in a second is seen four times in it. */
const samplesPerSecond = 4.5

/** Returns the stretches that contain all ranges, in any order: ascending, and far enough apart to be read one by one. */
export function scanStretches(ranges: readonly FrameSpan[], perSecond: number): FrameSpan[] {
  const stretches: { first: number; end: number }[] = []
  for (const { first, end } of ranges.toSorted((one, other) => one.first - other.first)) {
    const last = stretches.at(-1)
    if (last && first - last.end <= maxGapSeconds * perSecond) last.end = Math.max(last.end, end)
    else stretches.push({ first, end })
  }
  return stretches
}

/** Returns a function that decides whether faces are searched in a frame of ranges, apart from those at changes of shot. */
export function regularSamples(
  ranges: readonly FrameSpan[],
  perSecond: number,
): { isInside(frame: number): boolean; isSample(frame: number): boolean } {
  const step = Math.max(1, Math.round(perSecond / samplesPerSecond))
  const ends = new Set(ranges.flatMap(({ first, end }) => [first, end - 1]))
  const merged = scanUnion(ranges)
  let at = 0
  const isInside = (frame: number) => {
    if (frame < (merged[at]?.first ?? 0)) at = 0
    while (at < merged.length && (merged[at]?.end ?? 0) <= frame) at += 1
    return frame >= (merged[at]?.first ?? Infinity)
  }
  return { isInside, isSample: (frame) => ends.has(frame) || (frame % step === 0 && isInside(frame)) }
}

/** Returns the union of ranges, ascending and disjoint. */
function scanUnion(ranges: readonly FrameSpan[]): FrameSpan[] {
  return scanStretches(ranges, 0)
}
