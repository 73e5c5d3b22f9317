import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { findOrStartDaemon, type DaemonAddress } from '../../src/daemon/find-or-start.ts'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { killProcessGroup, identifyProcess } from '../../src/platform/process-identity.ts'
import { fastStartArguments } from '../fast-start.ts'
import type { TestDaemonOptions } from './test-daemon.ts'

const daemonModule = fileURLToPath(new URL('test-daemon.ts', import.meta.url))
const clientModule = fileURLToPath(new URL('test-client.ts', import.meta.url))

/** Creates a data folder for a test. After the test, all daemons started there are ended. */
export async function newDataFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'daemon-'))
  onTestFinished(async () => {
    for (const pid of await startedDaemons(dataDir)) {
      const identity = await identifyProcess(pid)
      if (identity) await killProcessGroup(identity)
    }
    await rm(dataDir, { recursive: true, force: true })
  })
  return dataDir
}

type FindTestDaemonOptions = Partial<Omit<TestDaemonOptions, 'dataDir'>> & { readonly timeoutMs?: number }

/** Finds or starts a test daemon from this process. */
export function findTestDaemon(
  dataDir: string,
  { timeoutMs, ...others }: FindTestDaemonOptions = {},
): Promise<DaemonAddress> {
  const options: TestDaemonOptions = { version: '1.0.0', ...others, dataDir }
  const command = [process.execPath, ...fastStartArguments, daemonModule, JSON.stringify(options)]
  const environment = { ...process.env, REELWRIGHT_CANARY: 'first client' }
  return findOrStartDaemon({ dataDir, version: options.version, command, environment, timeoutMs })
}

/** Like `findTestDaemon`, from a separate process; `ms` is the time since that process started. */
export async function findFromProcess(dataDir: string): Promise<DaemonAddress & { readonly ms: number }> {
  const options: TestDaemonOptions = { version: '1.0.0', dataDir }
  const { stdout } = await promisify(execFile)(process.execPath, [clientModule, JSON.stringify(options)])
  return JSON.parse(stdout) as DaemonAddress & { ms: number }
}

/** Pids of all daemons that started their service, in order. */
export async function startedDaemons(dataDir: string): Promise<number[]> {
  return readPids(join(dataDir, 'started.txt'))
}

/** Pids of the daemons' children, in order. */
export async function startedChildren(dataDir: string): Promise<number[]> {
  return readPids(join(dataDir, 'children.txt'))
}

async function readPids(path: string): Promise<number[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).map(Number)
}

export async function isAlive(pid: number): Promise<boolean> {
  return (await identifyProcess(pid)) !== null
}

/** The record of the running daemon. */
export async function readRunningRecord(dataDir: string) {
  const record = await readDaemonRecord(dataDir)
  if (!record) throw new Error('no daemon has announced itself')
  return record
}
