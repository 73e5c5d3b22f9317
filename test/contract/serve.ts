import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** A service in a process of its own, as `reelwright serve` starts it. */
export interface Served extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  /** Empty folder for the test's own files. */
  readonly folder: string
}

/** Starts `reelwright serve` on an empty data folder and a free port. */
export async function serve(environment: Readonly<Record<string, string>> = {}): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-serve-'))
  const apiKey = 'key-of-the-contract-tests-0123456789abcdef'
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data-dir', join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, REELWRIGHT_API_KEY: apiKey, REELWRIGHT_LOG_LEVEL: 'error', ...environment },
  })
  const lines = createInterface(child.stdout)
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [unknown]
  const baseUrl = /^listening on (http:\S+)$/.exec(String(line))?.[1]
  if (baseUrl === undefined) throw new Error(`reelwright serve did not start: ${String(line)}`)
  return {
    baseUrl,
    apiKey,
    folder,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
