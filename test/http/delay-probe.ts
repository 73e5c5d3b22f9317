import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, Agent } from 'node:http'
import type { ServiceProcess } from '../service/process.ts'

/**
 * A process that requests `/health` of a service every 20 ms. On Linux, the time in which the service or the probe
 * were ready to run but had no processor does not count: other tests may use all of them.
 */
export interface DelayProbe extends AsyncDisposable {
  /** Longest response time since the last call, ms. */
  longestDelay(): Promise<number>
}

/** Starts a probe and waits for its first response. */
export async function startDelayProbe({ baseUrl, process: service }: ServiceProcess): Promise<DelayProbe> {
  const child = fork(import.meta.filename, [baseUrl, String(service.pid)], { execArgv: [] })
  const exited = once(child, 'exit')
  const ask = async () => {
    const replied = once(child, 'message')
    child.send('longest')
    const [longest] = (await replied) as [number]
    return longest
  }
  await ask()
  return {
    longestDelay: ask,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

const intervalMs = 20

async function probe(baseUrl: string, pid: string): Promise<never> {
  const agent = new Agent({ keepAlive: true })
  const waited = (): number => waitedForProcessor(pid) + waitedForProcessor('self')
  let longest = 0
  let responded = Promise.withResolvers<void>()
  const report = async () => {
    // Includes the request that is waiting now.
    await responded.promise
    process.send?.(longest)
    longest = 0
  }
  process.on('message', () => void report())
  process.once('disconnect', () => process.exit())
  for (;;) {
    const [began, waitedBefore] = [performance.now(), waited()]
    await new Promise<void>((resolve, reject) => {
      get(`${baseUrl}/health`, { agent }, (response) => {
        response.resume().once('end', resolve)
      }).once('error', reject)
    })
    longest = Math.max(longest, performance.now() - began - (waited() - waitedBefore))
    responded.resolve()
    responded = Promise.withResolvers<void>()
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
}

/** Time that the main thread of a process has been ready without a processor, ms; 0 where it is not known. */
function waitedForProcessor(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

// This file is also the program of the process.
if (process.argv[1] === import.meta.filename) await probe(process.argv[2] ?? '', process.argv[3] ?? '')
