import type { Stats } from 'node:fs'
import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { foreignWriteReason, hasModes } from './permissions.ts'
import { errorCode } from './system-error.ts'

/** A file or folder that another user controls. */
export interface UnsafePath {
  /** What is unsafe: a sentence without its full stop. */
  readonly reason: string
  /** Instruction that makes it safe; undefined if only another path is. */
  readonly fix?: string
}

/** Users that cannot be guarded against, or need not be: root, this user, and who owns the root folder. */
export async function trustedOwners(): Promise<ReadonlySet<number>> {
  // In a user namespace, such as a container without root, the root folder belongs to an unmapped user.
  return new Set([0, process.geteuid?.() ?? 0, (await stat('/')).uid])
}

/**
 * How another user can replace what an absolute path leads to; null if none can, or on Windows. Nobody else may own a
 * folder or symbolic link on the path, whose end need not exist, nor write its folders unless they are sticky. A group may
 * write: it is often the user's own.
 */
export async function findUnsafePath(path: string): Promise<UnsafePath | null> {
  if (!hasModes) return null
  const trusted = await trustedOwners()
  for await (const step of followPath(path)) {
    const { stats } = step
    if (!trusted.has(stats.uid)) return foreignOwner(step)
    if (step.isFolderOnPath && isReplaceable(stats)) {
      const mode = (stats.mode & 0o7777).toString(8)
      return {
        reason: `every user can replace what is in ${step.path} (mode ${mode})`,
        fix: `Run: chmod o-w ${JSON.stringify(step.path)}`,
      }
    }
  }
  return null
}

/** How another user can change or replace an existing file; null if none can, it is missing, or on Windows. */
export async function findUnsafeFile(file: string): Promise<UnsafePath | null> {
  if (!hasModes || !(await lstatIfExists(file))) return null
  const reason = await foreignWriteReason(file)
  if (reason !== null) {
    const fix = `Check its content, then run: chmod 600 ${JSON.stringify(file)} as the user that runs reelwright`
    return { reason, fix }
  }
  const target = await realpath(file).catch(() => file)
  return (await findUnsafePath(dirname(file))) ?? (await findUnsafePath(dirname(target)))
}

function foreignOwner({ path, stats, isFolderOnPath }: PathStep): UnsafePath {
  const owner = `${path} belongs to another user (${stats.uid})`
  if (isFolderOnPath || stats.isSymbolicLink())
    return { reason: `${owner}, who can replace what ${isFolderOnPath ? 'is inside' : 'it leads to'}` }
  return { reason: `${owner}, who can read and replace what is inside`, fix: takeOwnership(path) }
}

/** Instruction that makes this user the owner of a file or folder (its real path) with everything inside. */
export function takeOwnership(path: string): string {
  const user = process.geteuid?.() ?? 0
  const sudo = user === 0 ? '' : 'sudo '
  return `If you trust its content, run: ${sudo}chown -R ${user} ${JSON.stringify(path)}`
}

/** Permission of all others to write, and the flag that protects entries of a folder from all but their owners. */
const [worldWritable, sticky] = [0o002, 0o1000]

function isReplaceable({ mode }: Stats): boolean {
  return (mode & worldWritable) !== 0 && (mode & sticky) === 0
}

interface PathStep {
  readonly path: string
  readonly stats: Stats
  /** Whether the path leads through it, to an entry that may be missing. */
  readonly isFolderOnPath: boolean
}

/** Most symbolic links to follow before they count as a loop; the same as in Linux. */
const maxLinks = 40

/** Every folder and symbolic link that the system visits on an absolute path, until a part is missing. */
async function* followPath(path: string): AsyncGenerator<PathStep> {
  const names = path.split('/')
  let folder = '/'
  for (let links = 0; links <= maxLinks;) {
    const name = names.shift()
    if (name === '' || name === '.') continue
    const stats = await lstat(folder)
    yield { path: folder, stats, isFolderOnPath: name !== undefined }
    if (name === undefined) return
    const next = name === '..' ? dirname(folder) : join(folder, name)
    const found = await lstatIfExists(next)
    if (!found) return
    if (!found.isSymbolicLink()) {
      folder = next
      continue
    }
    yield { path: next, stats: found, isFolderOnPath: false }
    const target = await readlink(next)
    if (isAbsolute(target)) folder = '/'
    names.unshift(...target.split('/'))
    links += 1
  }
}

async function lstatIfExists(path: string): Promise<Stats | null> {
  return await lstat(path).catch((error: unknown) => {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  })
}
