import { setTimeout as pause } from 'node:timers/promises'
import { MediaError } from '../contract/errors.ts'
import { identifyProcess } from '../platform/process-identity.ts'
import { prepareDataFolder } from './data-folder.ts'
import { folderLockedExitCode, launchDaemon } from './launch.ts'
import { lockDaemonStart } from './lock.ts'
import { isDaemonResponding, requestDaemonExit } from './probe.ts'
import { type DaemonRecord, readDaemonRecord } from './record.ts'

/** How often to look whether a daemon has come up, in ms. */
const pollMs = 20
const defaultTimeoutMs = 20_000

interface FindOptions {
  readonly dataDir: string
  /** This client's version: an idle daemon that is older is replaced. */
  readonly version: string
  /** Program and arguments, all paths absolute, that run the daemon of this data folder. */
  readonly command: readonly string[]
  /** This process's environment; the daemon gets only the system's part of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly timeoutMs?: number
}

/** How to reach a data folder's daemon. */
export interface DaemonAddress {
  readonly baseUrl: string
  readonly apiKey: string
  readonly instance: string
  readonly pid: number
}

/**
 * Finds the data folder's one daemon, or starts it: however many processes ask at once, they share
 * one. The daemon has proved that it knows the key. 6401 with its last log lines when there is none
 * in the end.
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
    await pause(pollMs)
  }
}

/** Finds the data folder's daemon, which has proved that it knows the key; null when none answers. */
export async function findDaemon(dataDir: string): Promise<DaemonAddress | null> {
  const record = await readDaemonRecord(dataDir)
  return record && (await isDaemonResponding(record)) ? daemonAddress(record) : null
}

function daemonAddress({ port, key, instance, pid }: DaemonRecord): DaemonAddress {
  return { baseUrl: `http://127.0.0.1:${port}`, apiKey: key, instance, pid }
}

/** Asks an older daemon to make room; it does when it has nothing to do. */
async function replaceOlder(record: DaemonRecord, version: string): Promise<boolean> {
  return isNewerVersion(version, record.version) && (await requestDaemonExit(record))
}

/** Starts a daemon unless another process is at it, or has done it since `seen` was read. */
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
 * Starts a daemon and waits until it answers; null when another daemon holds the data folder or it has
 * left again in peace. 6401 when the folder is held by no daemon, which would come to answer or leave.
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
    if (exitCode !== undefined) throw await launched.failure(`it ended at once (${exitCode ?? 'killed'})`)
    await pause(pollMs)
  }
  throw (await isRunning(last))
    ? folderLockedError(dataDir, last)
    : await launched.failure('it does not answer yet')
}

async function isRunning(record: DaemonRecord | null): Promise<boolean> {
  const process = record && (await identifyProcess(record.pid))
  return process !== null && process.startTime === record?.start_time
}

function folderLockedError(dataDir: string, holder: DaemonRecord | null): MediaError {
  const who = holder ? `process ${holder.pid}` : 'another process'
  const first = holder ? `Try again; if it stays, end ${who}.` : 'End that process, or use its service.'
  return new MediaError(6401, `the data folder ${dataDir} is held by ${who}, which does not answer`, {
    hint: `${first} A \`reelwright serve\` is used with REELWRIGHT_BASE_URL and REELWRIGHT_API_KEY.`,
  })
}

// What programs need to run at all and to speak the user's language; compared in upper case, as
// Windows names its variables in any.
const inheritedVariables = new Set(
  `PATH HOME LANG LC_ALL LC_CTYPE TZ TMPDIR TMP TEMP USER LOGNAME
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA
  PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)`.split(/\s+/),
)

/**
 * The part of an environment that a daemon gets. It serves many clients, so nothing of the one that
 * happened to start it may change its behaviour: settings come from the configuration file.
 */
export function daemonEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => inheritedVariables.has(name.toUpperCase())),
  )
}

/** Tells whether one version (major.minor.patch, perhaps -prerelease) is newer than another. */
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
