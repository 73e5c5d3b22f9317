import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startProcess, type ProcessOptions, type ServiceProcess } from './process.ts'

/** An empty data folder, which goes with the test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-crash-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a service that dies at a failpoint, or at the latest with the test. */
export async function start(
  dataDir: string,
  failpoint?: ProcessOptions['failpoint'],
): Promise<ServiceProcess> {
  const started = await startProcess(dataDir, failpoint && { failpoint })
  onTestFinished(() => started.kill('SIGKILL'))
  return started
}
