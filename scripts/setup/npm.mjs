import { copyFile, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findProgram } from './find.mjs'
import { inBackground, SetupError } from './process.mjs'

/** Path of npm's own script: of the running npm, else of the one beside this Node or on PATH. */
async function npmScript() {
  const beside = dirname(process.execPath)
  const onPath = findProgram('npm')
  const candidates = [
    process.env.npm_execpath,
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    onPath && (await realpath(onPath)),
    '/usr/share/nodejs/npm/bin/npm-cli.js',
  ]
  const found = candidates.find((path) => path && basename(path) === 'npm-cli.js' && existsSync(path))
  if (!found) throw new SetupError('npm was not found; install it beside Node, then run this again.')
  return found
}

const flags = '--ignore-scripts --no-audit --no-fund --no-update-notifier --prefer-offline --loglevel=error'

/**
 * Installs the packages that the lock file in `from` pins into a new folder under `into`, and returns that folder.
 * npm checks their integrity; install scripts do not run. The caller renames the folder into place, so that
 * concurrent set-ups never see an incomplete installation.
 */
export async function installPinned(from, into, node) {
  await mkdir(into, { recursive: true })
  const folder = await mkdtemp(join(into, 'new-'))
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    if (existsSync(join(from, name))) await copyFile(join(from, name), join(folder, name))
  }
  // `install` keeps every version and integrity of the lock file. `ci` would too, but rejects a lock file
  // without other platforms' optional packages, such as one created with a partial mirror.
  const args = [await npmScript(), 'install', ...flags.split(' '), '--prefix', folder]
  // onnxruntime-node would download CUDA libraries; this stops it even where scripts are enabled.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' }
  const { code, output } = await inBackground(node, args, { cwd: folder, env })
  if (code === 0) return folder
  await rm(folder, { recursive: true, force: true })
  throw new SetupError(`npm install failed (is there network?):\n${output.trim()}`)
}
