/** VP8 that is encoded quickly, by one thread: several wait for each other in loops, for five times the processor time. */
export const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '16', '-threads', '1']
