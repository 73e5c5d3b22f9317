import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { firstFrameIndex } from '../../media/frame-rate.ts'

/**
 * Filters that move a picture by at most half a frame, so that it begins where a frame of the rate does. Else one that
 * begins between two of them, by a clock of milliseconds, would have pictures that come now before the middle, now
 * after it: some would be shown twice and others never.
 */
export function alignToFrames(video: Pick<VideoFacts, 'start_ms'>, rate: Rational): string[] {
  const begins = (firstFrameIndex(video, rate) * rate.den * 1e6) / rate.num
  return ['settb=AVTB', `setpts=PTS+(${Math.round(begins - video.start_ms * 1000)})`]
}
