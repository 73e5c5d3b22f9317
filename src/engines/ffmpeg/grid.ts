import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { firstFrameIndex } from '../../media/frame-rate.ts'

/**
 * Returns filters that shift a picture by at most half a frame, so that it starts on the frame grid of the
 * rate. Without them, timestamps rounded to ms fall before or after the middle between two grid points, and
 * frames are duplicated or dropped.
 */
export function alignToFrames(video: Pick<VideoFacts, 'start_ms'>, rate: Rational): string[] {
  const begins = (firstFrameIndex(video, rate) * rate.den * 1e6) / rate.num
  return ['settb=AVTB', `setpts=PTS+(${Math.round(begins - video.start_ms * 1000)})`]
}
