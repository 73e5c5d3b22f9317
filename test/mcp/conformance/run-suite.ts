import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** What the suite found of a server in one scenario. */
export interface Scenario {
  readonly name: string
  readonly passed: number
  readonly failed: number
  /** Why it does not count; left out where the revision requires it. */
  readonly unscored?: string
}

/** What a run of the suite told. */
export interface SuiteRun {
  /** 0 where everything that the revision requires holds. */
  readonly code: number | null
  readonly scenarios: readonly Scenario[]
  readonly output: string
}

/** The suite's command line, wherever its package lies. */
const require = createRequire(import.meta.url)
export const manifest = require.resolve('@modelcontextprotocol/conformance/package.json')

/** Runs what the suite has for servers of a protocol revision. */
export async function runSuite(
  url: string,
  { revision, folder }: { readonly revision: string; readonly folder: string },
): Promise<SuiteRun> {
  const command = ['server', '--url', url, '--requirements', revision, '--output-dir', folder]
  const suite = spawn(process.execPath, [join(dirname(manifest), 'dist', 'index.js'), ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(suite, 'exit') as Promise<[number | null]>
  const [output, errors, [code]] = await Promise.all([text(suite.stdout), text(suite.stderr), exit])
  return { code, scenarios: read(output), output: output + errors }
}

function read(output: string): Scenario[] {
  const unscored = new Map(
    [...output.matchAll(/^ {2}[✓✗] ([\w-]+) \(([\w-]+)\)$/gm)].map(([, name, why]) => [name, why]),
  )
  const lines = output.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)
  return Array.from(lines, ([, name = '', passed, failed]) => {
    const why = unscored.get(name)
    return {
      name,
      passed: Number(passed),
      failed: Number(failed),
      ...(why !== undefined && { unscored: why }),
    }
  })
}
