import type { TestDisk } from './disk.ts'
import type { Rounds } from './kill-rounds.ts'

/**
 * How a service ends by a power cut of the disk under its data folder. A file system that is shut down answers
 * some syncs that it did not do: what is acknowledged in that moment proves nothing (ext4 of Linux 6.18; a bare
 * loop of appending and fdatasync loses its last one in 13 of 150 shut-downs).
 */
export function powerCut(disk: TestDisk): Pick<Rounds, 'end' | 'blurred'> {
  return {
    blurred: true,
    async end(service) {
      await disk.cut()
      await service.kill('SIGKILL')
      await disk.restore()
    },
  }
}
