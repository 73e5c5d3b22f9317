import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { MediaError } from '../../contract/errors.ts'
import { errorCode } from '../../platform/system-error.ts'
import type { NodePackage } from './manifest.ts'
import { mirrorHint, type PackDownloadOptions } from './receive.ts'

/** Without scripts of anybody's, without a word beside errors, and whatever else people have set for themselves. */
const npmFlags = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  '--dry-run=false',
  '--pack-destination=.',
]

/**
 * Puts the packed file of a package into a part, by the user's npm: it knows their registry, keys and proxies, and
 * tells nothing until it has all of it. Throws 6401 where it cannot. The content is not checked.
 */
export async function downloadWithNpm(
  { name, version, artifact }: NodePackage,
  { part, signal, onProgress }: PackDownloadOptions & { part: string },
): Promise<void> {
  onProgress?.(0)
  const folder = await mkdtemp(join(dirname(part), 'npm-'))
  try {
    const [program, ...script] = npmCommand()
    await promisify(execFile)(program, [...script, 'pack', `${name}@${version}`, ...npmFlags], {
      cwd: folder,
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw new Error(npmErrorMessage(error), { cause: error })
    })
    const packed = join(folder, artifact.file)
    if (!existsSync(packed)) throw new Error(`it packed no ${artifact.file}`)
    await rename(packed, part)
  } catch (error) {
    signal?.throwIfAborted()
    throw new MediaError(6401, `npm does not bring ${name}@${version}: ${plainMessage(error)}`, {
      cause: error,
      retryable: true,
      hint: `Try again with a network, and npm beside Node. ${mirrorHint}`,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The one that came with this Node, run by it, else that of PATH; Windows, which would need a shell there, has the first. */
function npmCommand(): readonly [string, ...string[]] {
  const beside = dirname(process.execPath)
  const places = [join(beside, 'node_modules'), join(beside, '..', 'lib', 'node_modules')]
  const script = places
    .map((place) => join(place, 'npm', 'bin', 'npm-cli.js'))
    .find((path) => existsSync(path))
  return script === undefined ? ['npm'] : [process.execPath, script]
}

function npmErrorMessage(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'npm was not found'
  const told = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const lines = [...told.matchAll(/^npm (?:error|ERR!) (?!A complete log|code )(.+)$/gm)]
  return lines[0]?.[1] ?? plainMessage(error).split('\n')[0] ?? ''
}

function plainMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
