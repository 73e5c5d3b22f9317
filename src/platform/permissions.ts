import { chmod, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './system-error.ts'

/** Windows has access lists instead of modes: folders of a user's profile are closed to other users already. */
export const hasModes = process.platform !== 'win32'

/** Permissions of the group and of all others. */
const othersMask = 0o077

/** New files and folders of this process and of those that it starts belong to this user alone, whatever its umask was. */
export function restrictNewFiles(): void {
  if (hasModes) process.umask(othersMask)
}

/** Mode of a file or folder that other users may access, as octal digits (`755`), links followed; null if there is none. */
export async function sharedMode(path: string): Promise<string | null> {
  const found = hasModes ? await stat(path).catch(() => null) : null
  return found && (found.mode & othersMask) !== 0 ? (found.mode & 0o777).toString(8) : null
}

/** Permission of all others to write. */
const worldWritable = 0o002

/**
 * Why any user of this machine, or the foreign owner of a file, can change it; null if they cannot, or on Windows. Root
 * trusts all owners, as files of a container's host belong to them. A group may write: it is often the user's own.
 */
export async function foreignWriteReason(path: string): Promise<string | null> {
  const found = hasModes ? await stat(path).catch(() => null) : null
  if (!found) return null
  if ((found.mode & worldWritable) !== 0)
    return `every user can write it (mode ${(found.mode & 0o777).toString(8)})`
  const user = process.geteuid?.() ?? 0
  return [0, user].includes(found.uid) || user === 0 ? null : `it belongs to another user (${found.uid})`
}

/**
 * Removes the permissions of other users from a folder and from the entries with these names, with everything inside. What
 * is inside a folder without such permissions is already protected and not visited. Symbolic links are followed for the
 * folder and these entries. Returns those of them that stay accessible because they belong to another user; does nothing
 * on Windows.
 */
export async function restrictFolder(folder: string, names: readonly string[]): Promise<string[]> {
  if (!hasModes) return []
  // First, so that nobody enters meanwhile.
  if (!(await restrictPath(folder, await stat(folder)))) return [folder]
  const accessible: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const isRestricted = await restrictTree(path, stat)
    // The folder itself protects what is inside and belongs to others.
    const isElsewhere = !isRestricted && (await lstat(path)).isSymbolicLink()
    if (isElsewhere) accessible.push(path)
  }
  return accessible
}

/** Restricts a file or folder after what it contains, so that an interrupted run is repeated. Returns whether it could. */
async function restrictTree(path: string, read: typeof stat): Promise<boolean> {
  const found = await statIfExists(path, read)
  if (!found || found.isSymbolicLink() || (found.mode & othersMask) === 0) return true
  if (found.isDirectory()) {
    for (const name of await readdir(path)) await restrictTree(join(path, name), lstat)
  }
  return await restrictPath(path, found)
}

async function restrictPath(path: string, { mode }: { readonly mode: number }): Promise<boolean> {
  if ((mode & othersMask) === 0) return true
  try {
    await chmod(path, mode & 0o700)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return true
    if (code === 'EPERM' || code === 'EROFS') return false
    throw error
  }
}

/** A running service may remove files meanwhile. */
async function statIfExists(path: string, read: typeof stat) {
  return await read(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
}
