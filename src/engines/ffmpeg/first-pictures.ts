/**
 * Has ffprobe read the first pictures of a file alone. Several, as those after a damaged one, or before the first key
 * frame, do not decode.
 */
export const firstPicturesArgs: readonly string[] = ['-select_streams', 'V:0', '-read_intervals', '%+#10']
