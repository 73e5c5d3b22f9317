import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../platform/error-code.ts'
import type { HostedService } from '../platform/hosting.ts'
import { dataFiles } from './data-files.ts'
import { systemClock, type Clock } from './idle-exit.ts'

/** How often to look, in ms: whoever changed a setting calls again within seconds. */
const settingsPollMs = 500

/** How long no request may have come, in ms: what a client asks for is often made of several. */
const quietMs = 1000

interface SettingsExitOptions {
  readonly service: Pick<HostedService, 'isBusy' | 'isAnswering' | 'lastActivity'>
  /** Whether the settings are others than those of the start, and can be read. */
  readonly isOutdated: () => Promise<boolean>
  readonly exit: () => void
  readonly clock?: Clock | undefined
}

/** Calls `exit` once when the settings have changed and nothing is going on; disposing ends the watch. */
export function createSettingsExit(options: SettingsExitOptions): Disposable {
  const { service, isOutdated, exit, clock = systemClock } = options
  let disposed = false
  let cancel = clock.after(settingsPollMs, () => void check())

  async function mayLeave(): Promise<boolean> {
    try {
      if (!(await isOutdated()) || (await service.isBusy())) return false
      return !service.hasOpenRequests() && clock.now() - service.lastActivity() >= quietMs
    } catch {
      // Where it cannot be told, staying loses nothing.
      return false
    }
  }

  async function check(): Promise<void> {
    const leaves = await mayLeave()
    if (disposed) return
    if (leaves) return exit()
    cancel = clock.after(settingsPollMs, () => void check())
  }

  return {
    [Symbol.dispose]: () => {
      disposed = true
      cancel()
    },
  }
}

/** Tells whether the settings of a data folder were written, made or removed since this call. */
export async function watchSettingsFile(dataDir: string): Promise<() => Promise<boolean>> {
  const file = join(dataDir, dataFiles.settings)
  const stamp = async (): Promise<string> => {
    try {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true })
      return [ino, size, mtimeNs].join()
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return ''
      throw error
    }
  }
  const first = await stamp()
  return async () => (await stamp()) !== first
}
