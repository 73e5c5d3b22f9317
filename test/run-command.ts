import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { main } from '../src/commands/command-line.ts'

export const mainModule = join(import.meta.dirname, '..', 'src', 'main.ts')

/** Exit code and output of a command. */
export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Runs `reelwright` in this process, with variables added to its environment. */
export async function runCommand(
  args: readonly string[],
  environment: Environment = {},
): Promise<CommandResult> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await main(args, {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    environment: { ...process.env, ...environment },
  })
  return { code, out: out.join(''), err: err.join('') }
}

/** Runs `reelwright` as a separate process whose output nobody reads: the pipe is closed at its start, as by `head`. */
export async function spawnWithClosedPipe(
  args: readonly string[],
  environment: Environment = {},
): Promise<Omit<CommandResult, 'out'>> {
  const env = { ...process.env, ...environment }
  const child = spawn(process.execPath, [mainModule, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [err, [code]] = await Promise.all([readText(child.stderr), once(child, 'exit')])
  return { code: Number(code), err }
}

/** Runs `reelwright` as a separate process. */
export function spawnCommand(args: readonly string[], environment: Environment = {}): Promise<CommandResult> {
  const env = { ...process.env, ...environment }
  return new Promise((resolve) => {
    execFile(process.execPath, [mainModule, ...args], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
}
