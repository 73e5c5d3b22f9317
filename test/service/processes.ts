import { readdirSync, readFileSync } from 'node:fs'
import { identifyProcess } from '../../src/platform/process-identity.ts'
import { pollUntil } from './api.ts'

/** Running processes whose command line contains both texts, by pid; Linux only. */
export async function findProcesses(name: string, argument: string): Promise<number[]> {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      const line = commandLine(pid)
      return line.includes(name) && line.includes(argument)
    })
    .map(Number)
}

/** Reads synchronously, because tests poll often and asynchronous reads of many small files are slow. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

/** Programs that the test operation started for a data folder; their last argument is the scratch folder. */
export function findTestProcesses(dataDir: string): Promise<number[]> {
  return findProcesses('setInterval', dataDir)
}

/** The programs that still run. */
export async function filterRunning(pids: readonly number[]): Promise<number[]> {
  const identities = await Promise.all(pids.map((pid) => identifyProcess(pid)))
  return pids.filter((_, index) => identities[index] !== null)
}

/** Waits until all have ended. */
export async function waitUntilExited(pids: readonly number[]): Promise<void> {
  await pollUntil(
    () => filterRunning(pids),
    (left) => left.length === 0,
  )
}

/** Sends a signal to each that still runs. */
export function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

/**
 * Waits until a program of each kind runs, and suspends each once it appears. So even a short one still runs
 * when the test continues. The test must end them.
 */
export async function suspendProcesses(searches: readonly (() => Promise<number[]>)[]): Promise<number[]> {
  const found = await pollUntil(
    async () => {
      const kinds = await Promise.all(searches.map((search) => search()))
      signalEach(kinds.flat(), 'SIGSTOP')
      return kinds
    },
    (kinds) => kinds.every((pids) => pids.length > 0),
    // Some programs run for less than a tenth of a second.
    { isBrief: true },
  )
  return found.flat()
}
