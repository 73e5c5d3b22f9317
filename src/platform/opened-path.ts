import { existsSync } from 'node:fs'
import { type FileHandle, readlink, realpath, stat } from 'node:fs/promises'

/** What identifies a file or folder while it exists, whatever its path is. */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Whether open descriptors have paths of their own, which lead to the opened file even if its path is replaced (Linux). */
export const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd')

/** Path of an open descriptor; only if `hasDescriptorPaths`. */
export function descriptorPath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`
}

/** Whether two identities are those of the same file or folder. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** Identity of the file or folder at a path, symbolic links followed; undefined if it does not exist or cannot be read. */
export async function identityOf(path: string): Promise<FileIdentity | undefined> {
  return await stat(path, { bigint: true }).catch(() => undefined)
}

/**
 * Real path of an opened file or folder. Where descriptors have no paths, it is the real path of the path that was opened,
 * if that still leads there; otherwise null.
 */
export async function realPathOfHandle(
  handle: FileHandle,
  path: string,
  byDescriptor = hasDescriptorPaths,
): Promise<string | null> {
  if (byDescriptor) return await readlink(descriptorPath(handle))
  const opened = await handle.stat({ bigint: true })
  const real = await realpath(path)
  const current = await identityOf(real)
  return current && isSameFile(current, opened) ? real : null
}
