import type { ParseArgsOptionsConfig } from 'node:util'
import type { Logger } from 'pino'
import { configSecrets, processEnvironment, type Config } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { isLoopback } from '../platform/loopback.ts'

interface TextOutput {
  write(text: string): unknown
}

/** Streams and environment that a command uses; tests pass their own. */
export interface CommandIo {
  readonly stdout: TextOutput
  readonly stderr: TextOutput
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Streams and environment of this process. */
export const processIo: CommandIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: processEnvironment,
}

/** Parsed options of all commands, by name. */
export interface OptionValues {
  readonly 'data-dir'?: string
  readonly 'allow-dir'?: string[]
  readonly http?: boolean
  readonly toolsets?: string
  readonly tools?: string
  readonly 'read-only'?: boolean
  readonly host?: string
  readonly port?: string
  readonly 'public-url'?: string
  readonly ffmpeg?: string
  readonly packs?: string
  readonly json?: boolean
  readonly output?: string
  readonly 'with-names'?: boolean
  readonly name?: string
  readonly account?: string
  readonly quota?: string
  readonly 'keep-days'?: string
  readonly days?: string
  readonly licence?: string
  readonly attribution?: string
}

/** One invocation of a command. */
export interface CommandCall {
  readonly values: OptionValues
  /** Positional arguments. */
  readonly args: readonly string[]
  readonly io: CommandIo
}

/** A command of `reelwright`. */
export interface Command {
  /** One line for the help; hidden commands, which only reelwright itself starts, have none. */
  readonly summary?: string
  readonly options?: ParseArgsOptionsConfig
  /** Each option with its value and meaning, for the help. */
  readonly help?: readonly (readonly [option: string, meaning: string])[]
  /** Name of the positional argument, where the command takes one; ends with … where it may be repeated. */
  readonly argument?: string
  /** Whether new files have the permissions that the user's umask leaves: those that it creates are the user's. */
  readonly keepsUmask?: true
  /** Runs the command. Returns the exit code; 0 by default. Loads its heavy modules here, so that `mcp` starts fast. */
  readonly run: (call: CommandCall) => Promise<number | void>
}

/** An invalid command line; reported together with the help, exit code 2. */
export class UsageError extends Error {}

export function parsePort({ port }: OptionValues): number | undefined {
  if (port === undefined) return undefined
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port)
  throw new UsageError(`--port ${port} is not a port`)
}

/** Parses a number of days within bounds, inclusive. */
export function parseDays(
  option: string,
  days: string | undefined,
  { min, max }: { min: number; max: number },
): number | undefined {
  if (days === undefined) return undefined
  if (/^\d{1,4}$/.test(days) && Number(days) >= min && Number(days) <= max) return Number(days)
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}`)
}

export function requireOption(option: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new UsageError(`--${option} is missing`)
}

/** Parses credits; below a trillion, so that sums stay exact. */
export function parseCredits(name: string, value: string, min: number): number {
  if (/^\d{1,12}$/.test(value) && Number(value) >= min) return Number(value)
  throw new UsageError(`${name} must be a whole number of credits, from ${min} and of at most 12 digits`)
}

/** Opens the log of this process, to a file or stderr, with the secrets of the settings redacted. */
export async function openCommandLog(config: Config, file?: string): Promise<Logger> {
  const { registerSecret, openLog } = await import('../platform/log.ts')
  configSecrets(config).forEach(registerSecret)
  return openLog({ level: config.logLevel, file })
}

/** Warns of settings that other users of this machine can read. */
export async function warnOfReadableSettings(dataDir: string, log: Logger): Promise<void> {
  const { readableSettings } = await import('../daemon/data-folder.ts')
  const readable = await readableSettings(dataDir)
  if (readable) log.warn(`${readable.detail}. Fix: ${readable.fix}`)
}

/** Throws 6016 where keys would be sent unencrypted: plain http is for this machine alone. */
export function checkListenAddress({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): void {
  if (isLoopback(host) || publicUrl !== undefined) return
  throw new MediaError(6016, `on ${host} keys would be sent over plain http`, {
    hint: 'Put a TLS proxy in front and name its address: --public-url https://media.example.com. With the proxy on this machine, leave the host at 127.0.0.1.',
  })
}
