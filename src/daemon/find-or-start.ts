import { setTimeout as delay } from 'node:timers/promises'
import { MediaError } from '../contract/errors.ts'
import { identifyProcess } from '../platform/process-identity.ts'
import { prepareDataFolder } from './data-folder.ts'
import { folderLockedExitCode, launchDaemon } from './launch.ts'
import { lockDaemonStart } from './lock.ts'
import { isDaemonResponding, requestDaemonExit } from './probe.ts'
import { type DaemonRecord, readDaemonRecord } from './record.ts'

/** Interval of checks whether a started daemon responds, ms. */
const pollMs = 20
const defaultTimeoutMs = 20_000

interface FindOptions {
  readonly dataDir: string
  /** Version of this client; it replaces an idle daemon of an older version. */
  readonly version: string
  /** Program and arguments that run the daemon of this data folder; all paths absolute. */
  readonly command: readonly string[]
  /** Environment of this process; the daemon inherits only system variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly timeoutMs?: number
}

/** Address and key of the daemon of a data folder. */
export interface DaemonAddress {
  readonly baseUrl: string
  readonly apiKey: string
  readonly instance: string
  readonly pid: number
}

/**
 * Finds the daemon of a data folder or starts it; concurrent callers share one daemon. The daemon has proved that it knows
 * the key. Throws 6401 with its last log lines if it cannot be started.
 */
export async function findOrStartDaemon(options: FindOptions): Promise<DaemonAddress> {
  const deadline = Date.now() + (options.timeoutMs ?? defaultTimeoutMs)
  let prepared: Promise<void> | undefined
  for (;;) {
    const record = await readDaemonRecord(options.dataDir)
    const found = record && (await isDaemonResponding(record))
    if (found && !(await replaceOlder(record, options.version))) return daemonAddress(record)
    await (prepared ??= prepareDataFolder(options.dataDir))
    const started = await startOnce(options, record, deadline)
    if (started) return daemonAddress(started)
    if (Date.now() > deadline)
      throw folderLockedError(options.dataDir, (await isRunning(record)) ? record : null)
    await delay(pollMs)
  }
}

/** Finds the daemon of a data folder, which has proved that it knows the key; null if none responds. */
export async function findDaemon(dataDir: string): Promise<DaemonAddress | null> {
  const record = await readDaemonRecord(dataDir)
  return record && (await isDaemonResponding(record)) ? daemonAddress(record) : null
}

function daemonAddress({ port, key, instance, pid }: DaemonRecord): DaemonAddress {
  return { baseUrl: `http://127.0.0.1:${port}`, apiKey: key, instance, pid }
}

/** Asks an older daemon to exit. Returns whether it does; it stays while it has work. */
async function replaceOlder(record: DaemonRecord, version: string): Promise<boolean> {
  return isNewerVersion(version, record.version) && (await requestDaemonExit(record))
}

/** Starts a daemon unless another process is starting one, or has started one since `seen` was read. */
async function startOnce(
  options: FindOptions,
  seen: DaemonRecord | null,
  deadline: number,
): Promise<DaemonRecord | null> {
  using start = lockDaemonStart(options.dataDir)
  if (!start) return null
  const record = await readDaemonRecord(options.dataDir)
  if (record && record.instance !== seen?.instance && (await isDaemonResponding(record))) return null
  return await startDaemon(options, record, deadline)
}

/**
 * Starts a daemon and waits until it responds. Returns null if another daemon has locked the data folder, or if the new
 * one has exited normally. Throws 6401 if the folder is locked by a process other than a daemon.
 */
async function startDaemon(
  { dataDir, command, environment }: FindOptions,
  last: DaemonRecord | null,
  deadline: number,
): Promise<DaemonRecord | null> {
  const heldByDaemon = await isRunning(last)
  const launched = await launchDaemon({ dataDir, command, env: daemonEnvironment(environment) })
  while (Date.now() < deadline) {
    const exitCode = launched.exitCode()
    const record = await readDaemonRecord(dataDir)
    if (record && record.instance !== last?.instance && (await isDaemonResponding(record))) return record
    if (exitCode === folderLockedExitCode && !heldByDaemon && !(await isRunning(record))) {
      throw folderLockedError(dataDir, null)
    }
    if (exitCode === folderLockedExitCode || exitCode === 0) return null
    if (exitCode !== undefined) throw await launched.failure(`it exited at once (${exitCode ?? 'killed'})`)
    await delay(pollMs)
  }
  throw (await isRunning(last))
    ? folderLockedError(dataDir, last)
    : await launched.failure('it does not respond yet')
}

async function isRunning(record: DaemonRecord | null): Promise<boolean> {
  const process = record && (await identifyProcess(record.pid))
  return process !== null && process.startTime === record?.start_time
}

function folderLockedError(dataDir: string, holder: DaemonRecord | null): MediaError {
  const who = holder ? `process ${holder.pid}` : 'another process'
  const first = holder
    ? `Try again. If the problem persists, stop ${who}.`
    : 'Stop that process, or use its service.'
  return new MediaError(6401, `the data folder ${dataDir} is locked by ${who}, which does not respond`, {
    hint: `${first} To use a \`reelwright serve\`, set REELWRIGHT_BASE_URL and REELWRIGHT_API_KEY.`,
  })
}

// Variables that programs need to run and to use the user's language. Compared in upper case, as names on Windows are
// case-insensitive.
const inheritedVariables = new Set(
  `PATH HOME LANG LC_ALL LC_CTYPE TZ TMPDIR TMP TEMP USER LOGNAME
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA
  PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)`.split(/\s+/),
)

/**
 * Environment of a daemon. It serves many clients, so variables of the one that started it must not change its behaviour:
 * it reads its settings from the configuration file.
 */
export function daemonEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => inheritedVariables.has(name.toUpperCase())),
  )
}

/** Whether a version (major.minor.patch with optional -prerelease) is newer than another. */
export function isNewerVersion(version: string, than: string): boolean {
  const ours = parseVersion(version)
  const theirs = parseVersion(than)
  if (!ours || !theirs) return false
  const difference = ours.numbers.map((number, index) => number - (theirs.numbers[index] ?? 0)).find(Boolean)
  if (difference !== undefined) return difference > 0
  // A release is newer than its prereleases.
  if (ours.prerelease === '' || theirs.prerelease === '') return ours.prerelease < theirs.prerelease
  return ours.prerelease.localeCompare(theirs.prerelease, 'en', { numeric: true }) > 0
}

function parseVersion(version: string) {
  const [, release, prerelease = ''] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(version) ?? []
  return release === undefined ? null : { numbers: release.split('.').map(Number), prerelease }
}
