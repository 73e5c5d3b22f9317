import type { VideoFacts } from '../../contract/media-facts.ts'

/**
 * Options of a whole command with which times stay those of the files, each from its own start. A seek would take
 * its time off them, rounded to the file's clock; AVI's counts in frames.
 */
export const fileTimes: readonly string[] = ['-copyts', '-start_at_zero']

/** ffmpeg seeks a little earlier than told, and before the first key frame of FLV and live WebM finds nothing, s. */
const shortestSeek = 1

/**
 * Options of an input that is read from a time on, in s: begins at the key frame before it and keeps all from
 * there, so that the picture that is showing then is known, however long it has been showing. Who seeks in a file
 * with a picture seeks in that, whatever is read.
 */
export function fromKeyFrame(seconds: number, { start_ms }: Pick<VideoFacts, 'start_ms'>): string[] {
  return seconds < start_ms / 1000 + shortestSeek ? [] : ['-noaccurate_seek', '-ss', seconds.toFixed(6)]
}
