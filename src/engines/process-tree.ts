import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** A process of a process tree. */
export interface TreeProcess {
  readonly pid: number
  /** Private and shared memory, without mapped files. */
  readonly memoryBytes: number
  /** Processor time used so far, ms; undefined if the system does not report it. */
  readonly processorMs: number | undefined
}

/** Returns a process and its descendants. On Windows, only the process itself, without memory and time. */
export async function processTree(pid: number): Promise<TreeProcess[]> {
  if (process.platform === 'linux') return linuxTree(pid)
  if (process.platform === 'win32') return [{ pid, memoryBytes: 0, processorMs: undefined }]
  return await unixTree(pid)
}

/** Returns the processor time of a process and its descendants, ms, or undefined if it is unknown. */
export async function treeProcessorMs(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined
  const times = (await processTree(pid)).flatMap(({ processorMs }) => processorMs ?? [])
  return times.length > 0 ? times.reduce((sum, one) => sum + one, 0) : undefined
}

/** Clock ticks per second in /proc, the same on every Linux (proc(5), USER_HZ). */
const ticksPerSecond = 100

/**
 * Reads synchronously: browsers have a hundred threads and are checked five times per second, and an asynchronous read
 * takes many times the processor time of a file in /proc, which is never on a disk.
 */
function linuxTree(pid: number): TreeProcess[] {
  const threads = ignoringExit(() => readdirSync(`/proc/${pid}/task`)) ?? []
  const children = threads.flatMap((thread) =>
    readProcessFile(`${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  const kibibytes = [...readProcessFile(`${pid}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+)/gm)].map(
    ([, number]) => Number(number),
  )
  const memoryBytes = kibibytes.reduce((sum, one) => sum + one, 0) * 1024
  const processorMs = linuxProcessorMs(readProcessFile(`${pid}/stat`))
  return [{ pid, memoryBytes, processorMs }, ...children.flatMap(linuxTree)]
}

/** Reads a file in /proc; '' if the process has exited. */
function readProcessFile(path: string): string {
  return ignoringExit(() => readFileSync(`/proc/${path}`, 'utf8')) ?? ''
}

function ignoringExit<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Parses /proc/<pid>/stat (proc(5)): the times in user and kernel mode are the 12th and 13th field after the name. */
function linuxProcessorMs(stat: string): number | undefined {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ')
  const [user, kernel] = [fields[11], fields[12]]
  if (user === undefined || kernel === undefined) return undefined
  return ((Number(user) + Number(kernel)) * 1000) / ticksPerSecond
}

async function unixTree(root: number): Promise<TreeProcess[]> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-axo', 'pid=,ppid=,rss=,time='], {
    timeout: 10_000,
  }).catch(() => ({ stdout: '' }))
  const all = [...stdout.matchAll(/(\d+)\s+(\d+)\s+(\d+)\s+([\d:.-]+)/g)].map(
    ([, pid, parent, rss, time = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      memoryBytes: Number(rss) * 1024,
      processorMs: parseProcessorTime(time),
    }),
  )
  const descendants = (pid: number): TreeProcess[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...descendants(one.pid)])
  const self = all.find(({ pid }) => pid === root)
  return [self ?? { pid: root, memoryBytes: 0, processorMs: undefined }, ...descendants(root)]
}

/** Parses the time of ps, [[days-]hours:]minutes:seconds, to ms. Returns undefined for other text. */
export function parseProcessorTime(text: string): number | undefined {
  const [, days = '0', hours = '0', minutes, seconds] =
    /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (minutes === undefined || seconds === undefined) return undefined
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}
