import { existsSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { installPinned } from './npm.mjs'
import { say, SetupError } from './process.mjs'

/** Installs node_modules when it is not what the lock file says; without network when it is. */
export async function ensurePackages(root, node) {
  if (isInstalled(root)) return
  say('installing packages')
  const fresh = await installPinned(root, join(root, '.node'), node)
  if (!isInstalled(root, fresh)) {
    await rm(fresh, { recursive: true, force: true })
    throw new SetupError('package-lock.json does not say what package.json needs; run: npm install')
  }
  const old = `${fresh}-old`
  // Another set-up may have been faster; what it made is the same and is left alone.
  if (!isInstalled(root)) {
    const place = join(root, 'node_modules')
    if (existsSync(place)) await rename(place, old)
    await rename(join(fresh, 'node_modules'), place).catch((error) => {
      if (!isInstalled(root)) throw error
    })
  }
  await Promise.all([fresh, old].map((folder) => rm(folder, { recursive: true, force: true })))
}

/** Compares npm's record of what it installed, written last, with the lock file. */
function isInstalled(root, folder = root) {
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const present = packagesOf(join(folder, 'node_modules', '.package-lock.json'))
  if (!wanted || !present) return false
  return Object.entries(wanted).every(([path, entry]) => {
    const there = present[path]
    // The project itself is not in the record; of optional packages only this platform's are.
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
