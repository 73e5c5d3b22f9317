import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { MediaError } from '../../contract/errors.ts'
import { errorCode } from '../../platform/error-code.ts'
import type { NodePackage } from './manifest.ts'
import { otherSource } from './receive.ts'

/** Without scripts of anybody's, and without a word beside errors. */
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']

/**
 * Puts the packed file of a package into a part, by the user's npm: it knows their registry, keys and proxies.
 * Throws 6401 where it cannot. The content is not checked.
 */
export async function fetchByNpm(
  { name, version, artifact }: NodePackage,
  { part, signal }: { part: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const folder = await mkdtemp(join(dirname(part), 'npm-'))
  const isWindows = process.platform === 'win32'
  try {
    await promisify(execFile)(npmProgram(), ['pack', `${name}@${version}`, ...flags], {
      cwd: folder,
      // npm.cmd runs in a shell alone; all it is given here is our own.
      shell: isWindows,
      ...(signal && { signal }),
    })
    await rename(join(folder, artifact.file), part)
  } catch (error) {
    signal?.throwIfAborted()
    throw new MediaError(6401, `npm does not bring ${name}@${version}: ${reasonOf(error)}`, {
      cause: error,
      retryable: true,
      hint: `Try again with a network, and npm beside Node. ${otherSource}`,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The one that came with this Node, else that of PATH. */
function npmProgram(): string {
  if (process.platform === 'win32') return 'npm.cmd'
  const beside = join(dirname(process.execPath), 'npm')
  return existsSync(beside) ? beside : 'npm'
}

function reasonOf(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'npm was not found'
  const told = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const lines = [...told.matchAll(/^npm (?:error|ERR!) (?!A complete log|code )(.+)$/gm)]
  return lines[0]?.[1] ?? (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
}
