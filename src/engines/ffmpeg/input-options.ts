import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { firstFrameIndex } from '../../media/frame-rate.ts'
import { locateFfmpeg } from './locate.ts'

/**
 * Global options that keep the timestamps of the files, each relative to its own start. Otherwise a seek
 * subtracts its time, rounded to the file's time base; AVI's time base is the frame.
 */
export const fileTimes: readonly string[] = ['-copyts', '-start_at_zero']

/**
 * Shortest useful seek, seconds. ffmpeg seeks slightly earlier than requested, and finds nothing before the
 * first key frame of FLV and live WebM.
 */
const shortestSeek = 1

/**
 * Returns input options that start reading at the key frame before a time in seconds and keep everything from
 * there. The picture shown at that time is then known, however long ago it started. In a file with a picture,
 * the seek uses the picture stream, whichever streams are read.
 */
export function fromKeyFrame(seconds: number, { start_ms }: Pick<VideoFacts, 'start_ms'>): string[] {
  return seconds < start_ms / 1000 + shortestSeek ? [] : ['-noaccurate_seek', '-ss', seconds.toFixed(6)]
}

/**
 * Returns filters that shift a picture by at most half a frame, so that it starts on the frame grid of the
 * rate. Without them, timestamps rounded to ms fall before or after the middle between two grid points, and
 * frames are duplicated or dropped.
 */
export function alignToFrames(video: Pick<VideoFacts, 'start_ms'>, rate: Rational): string[] {
  const startMicros = (firstFrameIndex(video, rate) * rate.den * 1e6) / rate.num
  return ['settb=AVTB', `setpts=PTS+(${Math.round(startMicros - video.start_ms * 1000)})`]
}

const decoders: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' }

/**
 * Returns the input options that select libvpx for transparent VP8 and VP9. ffmpeg's native decoders drop
 * their alpha.
 */
export async function alphaDecoder({ codec, alpha }: VideoFacts): Promise<string[]> {
  const decoder = decoders[codec]
  if (!alpha || decoder === undefined) return []
  // A build with the libvpx encoder also has the decoder of the same name.
  const { encoders } = await locateFfmpeg()
  return encoders.has(decoder) ? ['-c:v', decoder] : []
}

/**
 * Decoder option, before an input: damaged data is an error, also where the decoder of JPEG would fill what is missing with
 * grey. A missing end marker and bytes after it are accepted.
 */
export const rejectDamaged: readonly string[] = ['-err_detect', 'explode']
