import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** One process of a tree. */
export interface TreeProcess {
  readonly pid: number
  /** Memory of its own, without the program's files. */
  readonly memoryBytes: number
}

/** A process with everything it started; only the process itself, of no known size, where the system does not tell. */
export async function processTree(pid: number): Promise<TreeProcess[]> {
  if (process.platform === 'linux') return await linuxTree(pid)
  if (process.platform === 'win32') return [{ pid, memoryBytes: 0 }]
  return await unixTree(pid)
}

async function linuxTree(pid: number): Promise<TreeProcess[]> {
  const [status, threads] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    readdir(`/proc/${pid}/task`).catch(() => []),
  ])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
  const below = await Promise.all(children.map(linuxTree))
  const kibibytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+)/gm)].map(([, number]) => Number(number))
  return [{ pid, memoryBytes: kibibytes.reduce((sum, one) => sum + one, 0) * 1024 }, ...below.flat()]
}

async function unixTree(root: number): Promise<TreeProcess[]> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-axo', 'pid=,ppid=,rss='], {
    timeout: 10_000,
  }).catch(() => ({ stdout: '' }))
  const all = [...stdout.matchAll(/(\d+)\s+(\d+)\s+(\d+)/g)].map(([, pid, parent, rss]) => ({
    pid: Number(pid),
    parent: Number(parent),
    bytes: Number(rss) * 1024,
  }))
  const below = (pid: number): TreeProcess[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)])
  return [all.find(({ pid }) => pid === root) ?? { pid: root, memoryBytes: 0 }, ...below(root)]
}
