import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Result of one scenario. */
export interface Scenario {
  readonly name: string
  readonly passed: number
  readonly failed: number
  /** Reason why the scenario does not count; absent if the revision requires it. */
  readonly unscored?: string
}

/** Result of a run of the suite. */
export interface SuiteRun {
  /** Exit code; 0 if all required scenarios pass. */
  readonly code: number | null
  readonly scenarios: readonly Scenario[]
  readonly output: string
}

/** Package manifest of the suite, resolved from node_modules. */
const require = createRequire(import.meta.url)
export const manifest = require.resolve('@modelcontextprotocol/conformance/package.json')

/** Runs the suite's server scenarios of a protocol revision. */
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
    [...output.matchAll(/^ {2}[✓✗] ([\w-]+) \(([\w-]+)\)$/gm)].map(([, name, reason]) => [name, reason]),
  )
  const lines = output.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)
  return Array.from(lines, ([, name = '', passed, failed]) => {
    const reason = unscored.get(name)
    return {
      name,
      passed: Number(passed),
      failed: Number(failed),
      ...(reason !== undefined && { unscored: reason }),
    }
  })
}
