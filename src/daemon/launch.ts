import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { redact, rotateLogFile } from '../platform/log.ts'
import { dataFiles } from './data-files.ts'

const tailLines = 12
const tailBytes = 16 * 1024

/** Where a data folder's daemon writes its log, and whatever else it or Node says; what it held before is beside it. */
export function daemonLogPath(dataDir: string): string {
  return join(dataDir, dataFiles.log)
}

/** Exit code of a daemon that found the data folder held (EX_TEMPFAIL of sysexits.h). */
export const folderLockedExitCode = 75

interface LaunchOptions {
  readonly dataDir: string
  readonly command: readonly string[]
  /** The daemon's whole environment. */
  readonly env: Record<string, string | undefined>
}

/** A daemon process that was started and may not answer yet. */
export interface LaunchedDaemon {
  /** Exit code once it has ended; null for a signal. Undefined while it runs. */
  exitCode(): number | null | undefined
  /** 6401 with the reason and the last lines this process wrote to the log. */
  failure(reason: string): Promise<MediaError>
}

/** Starts a daemon in its own process group, writing to `daemon.log`, not bound to this process's life. */
export async function launchDaemon({ dataDir, command, env }: LaunchOptions): Promise<LaunchedDaemon> {
  const logPath = daemonLogPath(dataDir)
  await using log = await open(logPath, 'a', 0o600).catch((error: unknown) => {
    throw daemonStartError(`${logPath} cannot be written`, '', error)
  })
  rotateLogFile(log.fd, logPath)
  const { size } = await log.stat()
  const child = await spawnDetached(command, { dataDir, env, log: log.fd })
  return {
    exitCode: () => (child.signalCode === null ? (child.exitCode ?? undefined) : null),
    failure: async (reason) => daemonStartError(reason, await readTail(logPath, size)),
  }
}

interface SpawnDetachedOptions {
  readonly dataDir: string
  readonly env: Record<string, string | undefined>
  readonly log: number
}

async function spawnDetached(
  [program = '', ...args]: readonly string[],
  { dataDir, env, log }: SpawnDetachedOptions,
): Promise<ChildProcess> {
  const child = spawn(program, args, {
    detached: true,
    windowsHide: true,
    cwd: dataDir,
    env,
    stdio: ['ignore', log, log],
  })
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw daemonStartError(`${program} cannot be run`, '', error)
  }
  child.unref()
  return child
}

function daemonStartError(reason: string, tail: string, cause?: unknown): MediaError {
  const detail = cause instanceof Error ? `: ${cause.message}` : ''
  const lines = tail === '' ? '' : `\nIts last words:\n${tail}`
  return new MediaError(6401, `the media service did not start: ${reason}${detail}${lines}`, {
    cause,
    hint: 'Put right what the message names; `reelwright doctor` tells what is missing. Where `reelwright serve` has this data folder, set REELWRIGHT_BASE_URL and REELWRIGHT_API_KEY.',
  })
}

/** Last lines written since a position. */
async function readTail(path: string, since: number): Promise<string> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const from = Math.max(since, size - tailBytes)
  const buffer = Buffer.alloc(Math.max(0, size - from))
  const { bytesRead } = await file.read(buffer, 0, buffer.length, from)
  return redact(buffer.toString('utf8', 0, bytesRead))
    .trim()
    .split('\n')
    .slice(-tailLines)
    .join('\n')
}
