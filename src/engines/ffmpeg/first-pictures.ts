/**
 * Restricts ffprobe to the first 10 pictures of a file. Pictures after a damaged one or before the first key
 * frame do not decode.
 */
export const firstPicturesArgs: readonly string[] = ['-select_streams', 'V:0', '-read_intervals', '%+#10']
