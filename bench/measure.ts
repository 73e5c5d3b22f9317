import { readdir, readFile } from 'node:fs/promises'

/** Time and memory of a piece of work. */
export interface Measured {
  readonly seconds: number
  /** Peak memory of its child processes together, MiB. 0 without /proc. */
  readonly peakMiB: number
}

/** Measures wall time and peak memory of work. `sample` returns the current memory in MiB, every `everyMs`. */
export async function measure(
  work: () => Promise<void>,
  { sample = childMemoryMiB, everyMs = 50 } = {},
): Promise<Measured> {
  let peakMiB = 0
  const sampling = setInterval(() => {
    void sample().then((memory) => (peakMiB = Math.max(peakMiB, memory)))
  }, everyMs)
  const start = performance.now()
  try {
    await work()
  } finally {
    clearInterval(sampling)
  }
  return { seconds: (performance.now() - start) / 1000, peakMiB }
}

/** Total resident memory of the children of this process, MiB. */
export async function childMemoryMiB(): Promise<number> {
  const threadsOfThis = await readdir('/proc/self/task').catch(() => [])
  const lists = await Promise.all(
    threadsOfThis.map((thread) => readFile(`/proc/self/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const sizes = await Promise.all(
    lists
      .join(' ')
      .split(/\s+/)
      .filter(Boolean)
      .map(async (pid) => {
        const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
        return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
      }),
  )
  return Math.round(sizes.reduce((sum, size) => sum + size, 0))
}

/** Processor time of this process and, with /proc, of its ended child processes, seconds. */
export async function processorSeconds(): Promise<number> {
  const { user, system } = process.cpuUsage()
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // cutime and cstime (fields 16 and 17) of ended children, in hundredths of a second; see proc(5).
  const children = (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100
  return (user + system) / 1e6 + children
}

/** Runs two alternatives in ABBA rounds, so that drift affects both equally. */
export async function abba<One, Other>(
  rounds: number,
  one: () => Promise<One>,
  other: () => Promise<Other>,
): Promise<readonly [One[], Other[]]> {
  const ones: One[] = []
  const others: Other[] = []
  for (let round = 0; round < rounds; round += 1) {
    ones.push(await one())
    others.push(await other(), await other())
    ones.push(await one())
  }
  return [ones, others]
}

/** Median time and highest peak of several runs. */
export function summary(all: readonly Measured[]): Measured {
  return {
    seconds: median(all.map(({ seconds }) => seconds)),
    peakMiB: Math.max(...all.map(({ peakMiB }) => peakMiB)),
  }
}

/** Formats our figures next to those of a hand-written command. */
export function formatComparison(ours: readonly Measured[], handWritten: readonly Measured[]): string {
  const [ourSummary, handWrittenSummary] = [summary(ours), summary(handWritten)]
  return (
    `${ourSummary.seconds.toFixed(2)} s, by hand ${handWrittenSummary.seconds.toFixed(2)} s, ` +
    `ratio ${(ourSummary.seconds / handWrittenSummary.seconds).toFixed(3)}; peak ${ourSummary.peakMiB} MiB, by hand ${handWrittenSummary.peakMiB} MiB`
  )
}

/** Median of values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ]
  return ((low ?? 0) + (high ?? 0)) / 2
}
