import type { TestDisk } from './disk.ts'
import type { KillRoundsOptions } from './kill-rounds.ts'

/**
 * Stops a service by a power cut of its disk. A file system that is shut down confirms
 * some syncs that it did not do, so acknowledgements at that moment prove nothing (ext4 of Linux 6.18; a bare
 * loop of appending and fdatasync loses its last one in 13 of 150 shut-downs).
 */
export function powerCut(disk: TestDisk): Pick<KillRoundsOptions, 'stopService' | 'mayLoseAcknowledged'> {
  return {
    mayLoseAcknowledged: true,
    async stopService(service) {
      await disk.cutPower()
      await service.kill('SIGKILL')
      await disk.restore()
    },
  }
}
