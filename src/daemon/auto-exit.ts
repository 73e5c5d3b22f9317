import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '../platform/clock.ts'
import type { HostedService } from '../platform/hosting.ts'
import { errorCode } from '../platform/system-error.ts'
import { dataFiles } from './data-files.ts'

const defaultIdleMs = 30 * 60_000
/** Interval of checks while there is work, ms. */
const busyPollMs = 60_000

interface IdleExitOptions {
  readonly idleMs?: number
  /** Whether there is work: running, queued or retrying tasks, open uploads. */
  readonly isBusy: () => boolean | Promise<boolean>
  /** Time of the last request. */
  readonly lastActivity: () => number
  readonly exit: () => void
  readonly clock?: Clock
}

/** Calls `exit` once after `idleMs` without requests and work; disposal stops watching. */
export function createIdleExit(options: IdleExitOptions): Disposable {
  const { idleMs = defaultIdleMs, isBusy, lastActivity, exit, clock = systemClock } = options
  let idleSince = clock.now()
  let disposed = false
  let cancel = clock.after(idleMs, () => void check())

  async function mayBeBusy(): Promise<boolean> {
    try {
      return await isBusy()
    } catch {
      // If unknown, staying is safe.
      return true
    }
  }

  async function check(): Promise<void> {
    const busy = await mayBeBusy()
    if (disposed) return
    idleSince = Math.max(idleSince, busy ? clock.now() : lastActivity())
    const left = idleSince + idleMs - clock.now()
    if (left <= 0) return exit()
    cancel = clock.after(busy ? Math.min(idleMs, busyPollMs) : left, () => void check())
  }

  return {
    [Symbol.dispose]: () => {
      disposed = true
      cancel()
    },
  }
}

/** Interval of checks for changed settings, ms; a user who changes a setting soon calls again. */
const settingsPollMs = 500

/** Time without requests before exiting, ms, as clients often send several in a row. */
const quietMs = 1000

interface SettingsExitOptions {
  readonly service: Pick<HostedService, 'isBusy' | 'hasOpenRequests' | 'lastActivity'>
  /** Whether the settings differ from those at the start and are valid. */
  readonly isOutdated: () => Promise<boolean>
  readonly exit: () => void
  readonly clock?: Clock | undefined
}

/** Calls `exit` once when the settings have changed and there is no work; disposal stops watching. */
export function createSettingsExit(options: SettingsExitOptions): Disposable {
  const { service, isOutdated, exit, clock = systemClock } = options
  let disposed = false
  let cancel = clock.after(settingsPollMs, () => void check())

  async function mayLeave(): Promise<boolean> {
    try {
      if (!(await isOutdated()) || (await service.isBusy())) return false
      return !service.hasOpenRequests() && clock.now() - service.lastActivity() >= quietMs
    } catch {
      // If unknown, staying is safe.
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

/** Returns a function that reports whether the settings file has changed since this call. */
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
