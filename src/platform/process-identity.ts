import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './system-error.ts'

const execFileAsync = promisify(execFile)

/** One run of one process: a recycled pid comes with another start time. */
export interface ProcessIdentity {
  readonly pid: number
  /** Opaque; names the boot as well where pids and ticks begin anew with it. */
  readonly startTime: string
}

/** Identity of a live process; null when there is none (a zombie is none). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  const startTime = await startTimeOf(pid)
  return startTime === null ? null : { pid, startTime }
}

/**
 * Ends at once what remains of the process group that this process led, itself included. Touches
 * nothing when its pid belongs to another process by now, or the machine was restarted since. On
 * Windows, which has no groups, its tree.
 */
export async function killProcessGroup(leader: ProcessIdentity): Promise<void> {
  // kill(2) reads -0 as the caller's own group and -1 as every process.
  if (!Number.isSafeInteger(leader.pid) || leader.pid <= 1 || leader.pid === process.pid) return
  const now = await identifyProcess(leader.pid)
  if (now !== null && now.startTime !== leader.startTime) return
  if (process.platform === 'win32') return killProcessTree(leader, now !== null)
  if (bootIdOf(leader.startTime) !== (await currentBootId())) return
  kill(-leader.pid)
  if (now !== null) kill(leader.pid)
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

/** Start time from `/proc/<pid>/stat` (proc(5)): field 22, in ticks since the boot; null for a dead one. */
export function startTimeFromStat(stat: string, boot: string): string | null {
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
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

/** Names this boot of the machine. */
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
  // Its children still name it as parent; only those younger than it are its own.
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
  // Windows looks for a program in the current folder first, which may be anybody's.
  cwd: dirname(process.execPath),
  // PowerShell needs the whole environment; ps must not print dates in the user's language.
  env: process.platform === 'win32' ? undefined : { LC_ALL: 'C', TZ: 'UTC' },
}

/** What a program printed, trimmed; null when it failed or printed nothing. */
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
    // ESRCH: nothing is left. EPERM: it is somebody else's, so never ours.
    const code = errorCode(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
