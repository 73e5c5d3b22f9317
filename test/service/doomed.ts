import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { startProcess, type ProcessOptions, type ServiceProcess } from './process.ts'

/** An empty data folder, removed after the test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-crash-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a service that is stopped after the test. */
export async function start(dataDir: string, options?: ProcessOptions): Promise<ServiceProcess> {
  const started = await startProcess(dataDir, options)
  onTestFinished(() => started.kill('SIGKILL'))
  return started
}

/** A data folder with successive services, for tests that kill the service one after another. */
export interface Succession {
  readonly dataDir: string
  /** The running service; starts a new one if the last one has ended. */
  running(): Promise<ServiceProcess>
}

/** Creates a succession for the enclosing describe block. */
export function succession(): Succession {
  let dataDir = ''
  let last: ServiceProcess | undefined
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'reelwright-crash-'))
  })
  afterAll(async () => {
    await last?.kill('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  })
  return {
    get dataDir() {
      return dataDir
    },
    async running() {
      if (!last || last.process.exitCode !== null || last.process.signalCode !== null)
        last = await startProcess(dataDir)
      return last
    },
  }
}
