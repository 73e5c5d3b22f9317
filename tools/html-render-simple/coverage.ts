import type { Rational } from '../../src/contract/media-facts.ts'

/** Frames from `from` to before `to`. */
export interface FrameRange {
  readonly from: number
  readonly to: number
}

interface Shown {
  /** In seconds. */
  readonly start: number
  readonly duration: number
}

/** What a sum of decimal seconds may be off, in frames. */
const noise = 1e-6

/** Ranges of frames on which any particle shows, in order and apart: those that begin from its start to before its end. */
export function coverage(
  beats: readonly Shown[],
  { rate, frames }: { rate: Rational; frames: number },
): FrameRange[] {
  const firstFrom = (seconds: number) => Math.min(frames, Math.ceil((seconds * rate.num) / rate.den - noise))
  const ranges = beats
    .map(({ start, duration }) => ({ from: firstFrom(start), to: firstFrom(start + duration) }))
    .filter(({ from, to }) => to > from)
    .toSorted((one, other) => one.from - other.from)
  const merged: FrameRange[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    else merged.push(range)
  }
  return merged
}
