import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import { failpoint } from '../platform/failpoint.ts'
import { type HostedService, type HostProcess, newKey } from '../platform/hosting.ts'
import { killProcessGroup, identifyProcess } from '../platform/process-identity.ts'
import { prepareDataFolder } from './data-folder.ts'
import { createIdleExit, createSettingsExit } from './auto-exit.ts'
import { folderLockedExitCode } from './launch.ts'
import { lockDataFolder } from './lock.ts'
import {
  writeDaemonRecord,
  recordedProcess,
  readDaemonRecord,
  removeDaemonRecord,
  type DaemonRecord,
} from './record.ts'

/** How long open requests may take to finish before exit, ms. */
const closeTimeoutMs = 10_000

interface DaemonOptions {
  readonly dataDir: string
  readonly version: string
  /** Starts the service on 127.0.0.1. */
  readonly startService: (host: HostProcess) => Promise<HostedService>
  /** Whether the settings differ from those at the start and are valid: then the daemon exits for a new one. */
  readonly isOutdated: () => Promise<boolean>
  readonly log: Logger
  readonly idleMs?: number
  readonly clock?: Clock
}

/**
 * Runs the daemon of a data folder until it is idle, its settings change, a newer client replaces it, or SIGTERM or SIGINT.
 * Before it starts, it kills processes that a killed daemon left running. Returns the exit code of the process.
 */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const { dataDir, version, startService, log } = options
  await prepareDataFolder(dataDir)
  using lock = lockDataFolder(dataDir)
  if (!lock) {
    log.info('another daemon has locked the data folder')
    return folderLockedExitCode
  }
  failpoint('daemon-held')
  await killLeftoverProcesses(dataDir, log)
  const record = await newRecord(version)
  // Recorded before anything is started: if this process dies, the next daemon kills what it left running.
  await writeDaemonRecord(dataDir, record)
  failpoint('daemon-recorded')
  const leaving = Promise.withResolvers<string>()
  const service = await startService({
    key: record.key,
    instance: record.instance,
    version,
    exitIfIdle: async () => {
      if (await service.isBusy()) return false
      leaving.resolve('replaced by a newer client')
      return true
    },
  })
  // Before the port is recorded: from then on anyone may end this process.
  process.once('SIGTERM', leaving.resolve).once('SIGINT', leaving.resolve)
  await writeDaemonRecord(dataDir, { ...record, port: service.port })
  failpoint('daemon-announced')
  log.info({ port: service.port, instance: record.instance, version }, 'daemon started')
  const reason = await waitForExitReason(service, leaving, options)
  log.info({ reason }, 'daemon exits')
  if (await closeInTime(service, log)) await removeDaemonRecord(dataDir, record.instance)
  failpoint('daemon-retracted')
  return 0
}

async function killLeftoverProcesses(dataDir: string, log: Logger): Promise<void> {
  const last = await readDaemonRecord(dataDir)
  if (!last) return
  log.warn(
    { pid: last.pid, instance: last.instance },
    'the last daemon crashed; killing its remaining processes',
  )
  await killProcessGroup(recordedProcess(last))
}

async function newRecord(version: string): Promise<DaemonRecord> {
  const identity = await identifyProcess(process.pid)
  if (!identity) throw new Error('this process has no start time')
  return {
    pid: identity.pid,
    start_time: identity.startTime,
    port: 0,
    key: newKey(),
    version,
    instance: randomUUID(),
  }
}

/** Waits for a reason to exit and returns it. */
async function waitForExitReason(
  service: HostedService,
  leaving: PromiseWithResolvers<string>,
  { idleMs, clock, isOutdated }: DaemonOptions,
): Promise<string> {
  const isBusy = (): Promise<boolean> => service.isBusy()
  const lastActivity = (): number => service.lastActivity()
  const watches = [
    createIdleExit({ idleMs, clock, isBusy, lastActivity, exit: () => leaving.resolve('idle') }),
    createSettingsExit({ clock, service, isOutdated, exit: () => leaving.resolve('its settings changed') }),
  ]
  try {
    return await leaving.promise
  } finally {
    for (const watch of watches) watch[Symbol.dispose]()
  }
}

/** Closes the service. Returns false if it did not close in time; the next daemon then kills what remains. */
async function closeInTime(service: HostedService, log: Logger): Promise<boolean> {
  const waited = new AbortController()
  try {
    const late = delay(closeTimeoutMs, 'late', { signal: waited.signal })
    const first = await Promise.race([service.close(), late])
    if (first === 'late') log.warn('requests did not finish in time')
    return first !== 'late'
  } catch (error) {
    log.error(error, 'the service did not close cleanly')
    return false
  } finally {
    waited.abort()
  }
}
