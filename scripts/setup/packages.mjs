import { existsSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { installPinned } from './npm.mjs'
import { say, SetupError } from './process.mjs'

/** Installs node_modules where it differs from the lock file; otherwise needs no network. */
export async function ensurePackages(root, node) {
  if (isInstalled(root)) return
  say('installing packages')
  const fresh = await installPinned(root, join(root, '.node'), node)
  if (!isInstalled(root, fresh)) {
    await rm(fresh, { recursive: true, force: true })
    throw new SetupError('package-lock.json does not match package.json. Run: npm install')
  }
  const old = `${fresh}-old`
  // A concurrent set-up may have finished first; its result is the same and is kept.
  if (!isInstalled(root)) {
    const place = join(root, 'node_modules')
    if (existsSync(place)) await rename(place, old)
    await rename(join(fresh, 'node_modules'), place).catch((error) => {
      if (!isInstalled(root)) throw error
    })
  }
  await Promise.all([fresh, old].map((folder) => rm(folder, { recursive: true, force: true })))
}

/** Whether npm's record of installed packages, which it writes last, matches the lock file. */
function isInstalled(root, folder = root) {
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const present = packagesOf(join(folder, 'node_modules', '.package-lock.json'))
  if (!wanted || !present) return false
  return Object.entries(wanted).every(([path, entry]) => {
    const there = present[path]
    // The record omits the project itself, and optional packages of other platforms.
    return path === '' || (there ? there.version === entry.version : entry.optional === true)
  })
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}
