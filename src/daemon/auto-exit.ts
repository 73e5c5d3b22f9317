import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostedService } from '../platform/hosting.ts'
import { errorCode } from '../platform/system-error.ts'
import { dataFiles } from './data-files.ts'

/** Time as the daemon sees it, in ms since 1970. */
export interface Clock {
  now(): number
  /** Calls once after so many ms; the result prevents that. */
  after(ms: number, call: () => void): () => void
}

/** The machine's time; waiting for it keeps no process alive. */
export const systemClock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms).unref()
    return () => clearTimeout(timer)
  },
}

const defaultIdleMs = 30 * 60_000
/** How often to look whether work is still going on, in ms. */
const busyPollMs = 60_000

interface IdleExitOptions {
  readonly idleMs?: number
  /** Work going on or waiting: queued or retry-waiting tasks, open uploads. */
  readonly isBusy: () => boolean | Promise<boolean>
  /** Moment of the last request. */
  readonly lastActivity: () => number
  readonly exit: () => void
  readonly clock?: Clock
}

/** Calls `exit` once after so long without a request and without work; disposing ends the watch. */
export function createIdleExit(options: IdleExitOptions): Disposable {
  const { idleMs = defaultIdleMs, isBusy, lastActivity, exit, clock = systemClock } = options
  let idleSince = clock.now()
  let disposed = false
  let cancel = clock.after(idleMs, () => void check())

  async function mayBeBusy(): Promise<boolean> {
    try {
      return await isBusy()
    } catch {
      // Where it cannot be told, staying loses nothing.
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

/** How often to look, in ms: whoever changed a setting calls again within seconds. */
const settingsPollMs = 500

/** How long no request may have come, in ms: what a client asks for is often made of several. */
const quietMs = 1000

interface SettingsExitOptions {
  readonly service: Pick<HostedService, 'isBusy' | 'hasOpenRequests' | 'lastActivity'>
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
