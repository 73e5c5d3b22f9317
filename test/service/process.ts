import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Manifest } from '../../src/engines/packs/manifest.ts'
import type { PackSettings } from '../../src/engines/packs/store.ts'
import type { Services } from '../../src/engines/services/services.ts'

/** A service in its own process, which tests kill. */
export interface ServiceProcess {
  readonly baseUrl: string
  readonly apiKey: string
  readonly process: ChildProcess
  readonly exited: Promise<void>
  /** Makes it kill itself at a step, or at the n-th pass from now. */
  arm(step: string, hit?: number): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Configuration of packs, with a manifest for stand-ins of models. */
export type TestPacks = Partial<PackSettings> & { readonly manifest?: Manifest }

/** Settings of a service process. */
export interface ServiceProcessOptions {
  /** Whether it reads upload parts from local files. */
  readonly localImport?: boolean
  /** Configured external services. */
  readonly services?: Services
  /** Configuration of packs; by default none. */
  readonly packs?: TestPacks
  /** PostgreSQL; by default SQLite in the data folder. */
  readonly database?: { readonly url: string }
  /** Timeout of synchronous operations, ms. */
  readonly resultTimeoutMs?: number
  /** Tasks that run at the same time and share the cores. Default: 2. */
  readonly concurrency?: number
}

/** Starts a service process on a data folder and waits until it accepts requests. */
export async function startServiceProcess(
  dataDir: string,
  options: ServiceProcessOptions = {},
): Promise<ServiceProcess> {
  const child = fork(join(import.meta.dirname, 'entry.ts'), [dataDir, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Not the options of the test runner.
    execArgv: [],
  })
  const exited = once(child, 'exit').then(() => undefined)
  const started = await Promise.race([once(child, 'message'), exited])
  if (!started) throw new Error('the service did not start')
  const [{ port, apiKey }] = started as [{ port: number; apiKey: string }]
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey,
    process: child,
    exited,
    async arm(step, hit = 1) {
      const armed = once(child, 'message')
      child.send([step, hit])
      await armed
    },
    async kill(signal) {
      child.kill(signal)
      await exited
    },
  }
}
