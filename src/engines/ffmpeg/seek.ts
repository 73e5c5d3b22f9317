/**
 * Options of a whole command with which times stay those of the files, each from its own start. A seek would take
 * its time off them, rounded to the file's clock; AVI's counts in frames.
 */
export const fileTimes: readonly string[] = ['-copyts', '-start_at_zero']

/**
 * Options of an input that is read from a time on, in s: begins at the key frame before it and keeps all from
 * there, so that the picture that is showing then is known, however long it has been showing.
 */
export function fromKeyFrame(seconds: number): string[] {
  return seconds > 0 ? ['-noaccurate_seek', '-ss', seconds.toFixed(6)] : []
}
