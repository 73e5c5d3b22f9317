import { execFile } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = dirname(dirname(import.meta.dirname))
const run = promisify(execFile)

/** The package as a user has it after installing. */
export interface Packed {
  /** The installed program. */
  readonly program: string
  /** Paths inside the package. */
  readonly files: readonly string[]
  /** Bytes of the packed file. */
  readonly bytes: number
  /** Packages that are installed with it. */
  readonly dependencies: readonly string[]
}

/**
 * Builds and packs the package and installs it into an empty folder, with what the lock file says
 * it depends on at run time, taken from this checkout: so that nothing else can be reached from
 * there, and neither a network nor npm's cache is needed.
 */
export async function installPacked(folder: string): Promise<Packed> {
  const stage = join(folder, 'stage')
  await mkdir(stage, { recursive: true })
  await run(process.execPath, [join(root, 'scripts', 'run.mjs'), 'build', join(stage, 'dist')])
  for (const name of ['bin', 'package.json', 'README.md', 'LICENSE']) {
    await cp(join(root, name), join(stage, name), { recursive: true })
  }
  await run('npm', ['pack', '--ignore-scripts', '--loglevel=error'], {
    cwd: stage,
    shell: process.platform === 'win32',
  })
  const tarball = (await readdir(stage)).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack made nothing')

  const place = join(folder, 'node_modules', 'reelwright')
  await mkdir(place, { recursive: true })
  await run('tar', ['-xzf', join(stage, tarball), '-C', place, '--strip-components=1'])
  const { size: bytes } = await stat(join(stage, tarball))
  await rm(stage, { recursive: true })

  const dependencies = await runtimeDependencies()
  // Of thousands of small files, in half the time of `cp`.
  for (const path of dependencies) cpSync(join(root, path), join(folder, path), { recursive: true })
  return {
    program: join(place, 'bin', 'reelwright.mjs'),
    files: await readdir(place, { recursive: true }),
    bytes,
    dependencies,
  }
}

/** Where the lock file puts what is not only for development, as far as this platform has it. */
async function runtimeDependencies(): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  return Object.entries(lock.packages)
    .filter(
      ([path, entry]) => path !== '' && !entry.dev && !entry.devOptional && existsSync(join(root, path)),
    )
    .map(([path]) => path)
}
