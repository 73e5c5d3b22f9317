import { setFlagsFromString } from 'node:v8'

/**
 * Has this process free the memory of streamed bytes soon; of use only before much is loaded, which makes the space
 * of new objects grow for good. Otherwise gigabytes that pass in small buffers leave tens of megabytes of dead ones
 * at any time, and these count as growth: full collections follow each other and take as much of the processor as
 * the streaming itself (measured with uploads, for each GiB: 4 to 20 full collections instead of 30, a quarter
 * less processor time, 40 MiB less resident).
 */
export function reduceBufferMemory(): void {
  // The space of new objects stays as small as it begins: collecting it often is quick, as few of them live.
  setFlagsFromString('--semi-space-growth-factor=1')
  // Memory of dead buffers is freed with the collection that finds them, not with the one after.
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
}
