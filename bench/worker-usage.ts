import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Clock ticks per second in /proc (sysconf _SC_CLK_TCK on Linux). */
const ticksPerSecond = 100

/** What the workers of a service have used. */
export interface WorkerUsage {
  /** Peak memory of the largest worker, MiB. */
  readonly peakMiB: number
  /** Memory of the programs that the workers run at this moment, together, MiB. */
  readonly programsMiB: number
  /** Processor time of all workers and their ended programs, seconds. */
  readonly processorSeconds: number
}

/** Measures the workers of a service that uses a data folder (Linux). Fails if one ends meanwhile. */
export async function workerUsage(dataDir: string): Promise<WorkerUsage> {
  const run = join(dataDir, 'run')
  const names = (await readdir(run)).filter((name) => name.endsWith('.json'))
  let [peakMiB, programsMiB, processorSeconds] = [0, 0, 0]
  for (const name of names) {
    const { pid } = JSON.parse(await readFile(join(run, name), 'utf8')) as { pid: number }
    peakMiB = Math.max(peakMiB, await memoryMiB(pid, 'VmHWM'))
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // Fields 14 to 17 of proc(5), after the name in parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    processorSeconds += fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
    for (const program of await programsOf(pid))
      programsMiB += await memoryMiB(program, 'VmRSS').catch(() => 0)
  }
  return { peakMiB, programsMiB, processorSeconds }
}

async function memoryMiB(pid: number, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024
}

/** Ids of the children of all threads of a process. */
async function programsOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(/\s+/).filter(Boolean).map(Number))
}
