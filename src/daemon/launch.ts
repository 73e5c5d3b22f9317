import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { redact, rotateLogFile } from '../platform/log.ts'
import { dataFiles } from './data-files.ts'

const tailLines = 12
const tailBytes = 16 * 1024

/** Log file of the daemon of a data folder, which also receives its stderr; the rotated log is beside it. */
export function daemonLogPath(dataDir: string): string {
  return join(dataDir, dataFiles.log)
}

/** Exit code of a daemon that found the data folder locked (EX_TEMPFAIL of sysexits.h). */
export const folderLockedExitCode = 75

interface LaunchOptions {
  readonly dataDir: string
  readonly command: readonly string[]
  /** Complete environment of the daemon. */
  readonly env: Record<string, string | undefined>
}

/** A daemon process that was started and may not respond yet. */
export interface LaunchedDaemon {
  /** Exit code; null if a signal ended it, undefined while it runs. */
  exitCode(): number | null | undefined
  /** Creates the error 6401 with a reason and the last log lines of this process. */
  failure(reason: string): Promise<MediaError>
}

/** Starts a daemon in its own process group, writing to `daemon.log`, which outlives this process. */
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
  const lines = tail === '' ? '' : `\nIts last log lines:\n${tail}`
  return new MediaError(6401, `the media service did not start: ${reason}${detail}${lines}`, {
    cause,
    hint: 'Fix what the message names; `reelwright doctor` reports what is missing. If `reelwright serve` uses this data folder, set REELWRIGHT_BASE_URL and REELWRIGHT_API_KEY.',
  })
}

/** Last lines written after a position. */
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
