/** With several threads, the VP8 encoder waits for them in busy loops, which take five times the processor time. */
export const oneThread = ['-threads', '1']

/** VP8 that is encoded quickly. */
export const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '16', ...oneThread]
