import { type ChildProcess, execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './system-error.ts'

const execFileAsync = promisify(execFile)

/** Identifies a process beyond its pid, which may be reused with another start time. */
export interface ProcessIdentity {
  readonly pid: number
  /** Opaque; includes the boot id where pids and ticks restart with each boot. */
  readonly startTime: string
}

/** Identity of a running process; null if it does not exist or is a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  const startTime = await startTimeOf(pid)
  return startTime === null ? null : { pid, startTime }
}

/**
 * Kills the process group of a leader, which may have exited; on Windows, its process tree. Does nothing if the pid now
 * belongs to another process or the machine has been restarted.
 */
export async function killProcessGroup(leader: ProcessIdentity): Promise<void> {
  // kill(2) takes -0 as the caller's own group and -1 as all processes.
  if (!Number.isSafeInteger(leader.pid) || leader.pid <= 1 || leader.pid === process.pid) return
  const now = await identifyProcess(leader.pid)
  if (now !== null && now.startTime !== leader.startTime) return
  if (process.platform === 'win32') return killProcessTree(leader, now !== null)
  if (bootIdOf(leader.startTime) !== (await currentBootId())) return
  kill(-leader.pid)
  if (now !== null) kill(leader.pid)
}

/**
 * Sends a signal to a child process. Does nothing to one that could not be started: Node would signal the process, or the
 * own process group, whose number the unused memory of its handle contains.
 */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) child.kill(signal)
}

function startTimeOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return linuxStartTime(pid)
  if (process.platform === 'win32') return windowsStartTime(pid)
  return unixStartTime(pid)
}

async function linuxStartTime(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return stat === null ? null : startTimeFromStat(stat, await currentBootId())
}

/** Start time from `/proc/<pid>/stat` (proc(5)): field 22, ticks since boot; null for a dead process. */
export function startTimeFromStat(stat: string, boot: string): string | null {
  // The second field is the program's name in parentheses, which may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  const ticks = fields[19]
  if (state === 'Z' || state === 'X' || ticks === undefined || !/^\d+$/.test(ticks)) return null
  return `${boot}/${ticks}`
}

async function unixStartTime(pid: number): Promise<string | null> {
  const listed = await programOutput('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)])
  const [, state, start] = /^(\S+)\s+(.+)$/.exec(listed ?? '') ?? []
  if (state === undefined || start === undefined || state.startsWith('Z')) return null
  return `${await currentBootId()}/${start}`
}

function windowsStartTime(pid: number): Promise<string | null> {
  return powershell(`(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.ToUniversalTime().Ticks`)
}

let cachedBootId: Promise<string> | undefined

/** Id of the current boot of the machine. */
function currentBootId(): Promise<string> {
  cachedBootId ??= process.platform === 'linux' ? linuxBootId() : unixBootId()
  return cachedBootId
}

async function linuxBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}

async function unixBootId(): Promise<string> {
  return (await programOutput('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])) ?? ''
}

function bootIdOf(startTime: string): string {
  return startTime.slice(0, startTime.lastIndexOf('/'))
}

async function killProcessTree({ pid, startTime }: ProcessIdentity, alive: boolean): Promise<void> {
  if (alive) return void (await programOutput('taskkill.exe', ['/T', '/F', '/PID', String(pid)]))
  if (!/^\d+$/.test(startTime)) return
  // Children keep its pid as parent; only those younger than it are its own.
  await powershell(
    `Get-CimInstance Win32_Process -Filter 'ParentProcessId=${pid}' |
      Where-Object { $_.CreationDate.ToUniversalTime().Ticks -ge ${startTime} } |
      ForEach-Object { taskkill.exe /T /F /PID $_.ProcessId }`,
  )
}

function powershell(script: string): Promise<string | null> {
  return programOutput('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script])
}

const options = {
  timeout: 10_000,
  windowsHide: true,
  // Windows searches programs in the current folder first, which others may be able to write.
  cwd: dirname(process.execPath),
  // PowerShell needs the whole environment; ps must not print dates in the user's language.
  env: process.platform === 'win32' ? undefined : { LC_ALL: 'C', TZ: 'UTC' },
}

/** Trimmed output of a program; null if it failed or printed nothing. */
async function programOutput(program: string, args: readonly string[]): Promise<string | null> {
  try {
    return (await execFileAsync(program, [...args], options)).stdout.trim() || null
  } catch {
    return null
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // ESRCH: it no longer exists. EPERM: it belongs to another user, so it is not ours.
    const code = errorCode(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
