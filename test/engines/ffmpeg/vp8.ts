/** An encoder of VP8 with several threads waits for them in loops, for five times the processor time. */
export const oneThread = ['-threads', '1']

/** VP8 that is encoded quickly. */
export const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '16', ...oneThread]
