import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { startServiceProcess, type ServiceProcessOptions, type ServiceProcess } from './process.ts'

/** An empty data folder, removed after the test. */
export async function temporaryDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-crash-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a service that is stopped after the test. */
export async function startKillableService(
  dataDir: string,
  options?: ServiceProcessOptions,
): Promise<ServiceProcess> {
  const started = await startServiceProcess(dataDir, options)
  onTestFinished(() => started.kill('SIGKILL'))
  return started
}

/** A data folder with successive services, for tests that kill the service one after another. */
export interface ServiceSequence {
  readonly dataDir: string
  /** The running service; starts a new one if the last one has ended. */
  ensureRunning(): Promise<ServiceProcess>
}

/** Creates a succession for the enclosing describe block. `createOptions` is called once. */
export function createServiceSequence(
  createOptions: () => Promise<ServiceProcessOptions> = async () => ({}),
): ServiceSequence {
  let dataDir = ''
  let options: ServiceProcessOptions = {}
  let last: ServiceProcess | undefined
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'reelwright-crash-'))
    options = await createOptions()
  })
  afterAll(async () => {
    await last?.kill('SIGKILL')
    // A worker that was killed may still be writing.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    get dataDir() {
      return dataDir
    },
    async ensureRunning() {
      if (!last || last.process.exitCode !== null || last.process.signalCode !== null)
        last = await startServiceProcess(dataDir, options)
      return last
    },
  }
}
