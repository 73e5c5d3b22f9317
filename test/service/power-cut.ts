import type { TestDisk } from './disk.ts'
import type { ServiceProcess } from './process.ts'

/** Ends a service by a power cut of the disk under its data folder. */
export function powerCut(disk: TestDisk): (service: ServiceProcess) => Promise<void> {
  return async (service) => {
    await disk.cut()
    await service.kill('SIGKILL')
    await disk.restore()
  }
}
