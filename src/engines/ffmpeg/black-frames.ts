import type { Rational } from '../../contract/media-facts.ts'
import { formatRate, hertz } from '../../media/frame-rate.ts'
import type { Size } from '../../media/geometry.ts'

/** Number, size in pixels and rate of black frames. */
export interface BlackFrames extends Size {
  readonly rate: Rational
  readonly frames: number
}

/** Returns the filters that generate exactly so many black frames. Never endless: a graph could then not end. */
export function blackFrames({ width, height, rate, frames }: BlackFrames): string {
  // One frame more, because the duration is rounded to microseconds.
  const seconds = ((frames + 1) / hertz(rate)).toFixed(6)
  return `color=black:size=${width}x${height}:rate=${formatRate(rate)}:duration=${seconds},trim=end_frame=${frames},format=yuv420p`
}
