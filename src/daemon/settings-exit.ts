import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFiles } from './data-files.ts'
import { systemClock, type Clock } from './idle-exit.ts'

/** How often to look, in ms: whoever changed a setting calls again within seconds. */
const lookEvery = 500

interface SettingsExitOptions {
  /** Whether the settings are others than those of the start. */
  readonly isOutdated: () => Promise<boolean>
  readonly isBusy: () => boolean | Promise<boolean>
  readonly exit: () => void
  readonly clock?: Clock | undefined
}

/** Calls `exit` once when the settings have changed and no work is left; disposing ends the watch. */
export function createSettingsExit(options: SettingsExitOptions): Disposable {
  const { isOutdated, isBusy, exit, clock = systemClock } = options
  let disposed = false
  let cancel = clock.after(lookEvery, () => void check())

  async function mayLeave(): Promise<boolean> {
    try {
      return (await isOutdated()) && !(await isBusy())
    } catch {
      // Where it cannot be told, staying loses nothing.
      return false
    }
  }

  async function check(): Promise<void> {
    const leaves = await mayLeave()
    if (disposed) return
    if (leaves) return exit()
    cancel = clock.after(lookEvery, () => void check())
  }

  return {
    [Symbol.dispose]: () => {
      disposed = true
      cancel()
    },
  }
}

/** Tells whether the settings of a data folder were written, made or removed since this call. */
export async function settingsChanges(dataDir: string): Promise<() => Promise<boolean>> {
  const file = join(dataDir, dataFiles.settings)
  const stamp = async (): Promise<string> => {
    const seen = await stat(file, { bigint: true }).catch(() => null)
    return seen ? [seen.ino, seen.size, seen.mtimeNs].join() : ''
  }
  const first = await stamp()
  return async () => (await stamp()) !== first
}
