import type { VideoFacts } from '../../contract/media-facts.ts'

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
