import { readdir, readFile } from 'node:fs/promises'

/** What a piece of work took. */
export interface Measured {
  readonly seconds: number
  /** Most memory that the programs it started held together; 0 where /proc is not. */
  readonly peakMiB: number
}

/** Wall time of a piece of work, and the most memory of its programs; `look` weighs these now, in MiB. */
export async function measure(
  work: () => Promise<void>,
  { look = memoryOfChildren, everyMs = 50 } = {},
): Promise<Measured> {
  let peakMiB = 0
  const watch = setInterval(() => {
    void look().then((memory) => (peakMiB = Math.max(peakMiB, memory)))
  }, everyMs)
  const start = performance.now()
  try {
    await work()
  } finally {
    clearInterval(watch)
  }
  return { seconds: (performance.now() - start) / 1000, peakMiB }
}

/** Resident memory of this process's children together, MiB. */
export async function memoryOfChildren(): Promise<number> {
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

/** Processor time of this process and of the programs it ran, where /proc tells that; else its own. */
export async function processorSeconds(): Promise<number> {
  const { user, system } = process.cpuUsage()
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Of children that have ended, in hundredths of a second: fields 16 and 17 of the whole line.
  const children = (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100
  return (user + system) / 1e6 + children
}

/** Runs two ways of doing the same in rounds of one, the other, the other, the one: what drifts meets both alike. */
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

/** The middle time and the highest peak of work that was done several times. */
export function summary(all: readonly Measured[]): Measured {
  return {
    seconds: median(all.map(({ seconds }) => seconds)),
    peakMiB: Math.max(...all.map(({ peakMiB }) => peakMiB)),
  }
}

/** Our work and what one writes by hand for the same, in words. */
export function besideByHand(ours: readonly Measured[], byHand: readonly Measured[]): string {
  const [mine, hand] = [summary(ours), summary(byHand)]
  return (
    `${mine.seconds.toFixed(2)} s, by hand ${hand.seconds.toFixed(2)} s, ` +
    `ratio ${(mine.seconds / hand.seconds).toFixed(3)}; peak ${mine.peakMiB} MiB, by hand ${hand.peakMiB} MiB`
  )
}

/** The middle of values; of an even number the mean of both. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ]
  return ((low ?? 0) + (high ?? 0)) / 2
}
