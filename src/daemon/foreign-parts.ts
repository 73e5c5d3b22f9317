import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { findUnsafePath, takeOwnership, trustedOwners, type UnsafePath } from '../platform/path-owners.ts'
import { hasModes } from '../platform/permissions.ts'
import { errorCode } from '../platform/system-error.ts'
import { contentsFolder, dataFiles, dataFolderNames } from './data-files.ts'

/**
 * The first part of a data folder that belongs to another user, who may have it open or linked elsewhere, and so read and
 * replace what the service writes; null if there is none, or on Windows. Stored contents are not examined one by one, as
 * they never change. Settings may belong to someone else, such as a container's host: `readableSettings` reports them.
 */
export async function findForeignPart(dataDir: string): Promise<UnsafePath | null> {
  if (!hasModes) return null
  const root = await realpath(dataDir)
  const search = { trusted: await trustedOwners(), contents: join(root, contentsFolder) }
  for (const name of dataFolderNames) {
    if (name === dataFiles.settings) continue
    const part = join(root, name)
    const found = await unlessMissing(lstat(part))
    if (!found) continue
    if (!search.trusted.has(found.uid))
      return { reason: describeOwner(part, found), fix: takeOwnership(root) }
    const linked = found.isSymbolicLink() ? resolve(root, await readlink(part)) : null
    const unsafe = linked === null ? null : await findUnsafePath(linked)
    if (unsafe) return unsafe
    const reason = await findForeignEntry(part, search)
    if (reason !== null) return { reason, fix: takeOwnership(linked ?? root) }
  }
  return null
}

interface Search {
  readonly trusted: ReadonlySet<number>
  readonly contents: string
}

/** Describes the first entry in a folder, at any depth, that belongs to another user; null if none does. */
async function findForeignEntry(folder: string, search: Search): Promise<string | null> {
  const paths = (await readNames(folder)).map((name) => join(folder, name))
  const entries = await Promise.all(
    paths.map(async (path) => ({ path, found: await unlessMissing(lstat(path)) })),
  )
  for (const { path, found } of entries) {
    if (!found) continue
    if (!search.trusted.has(found.uid)) return describeOwner(path, found)
    const isExamined = found.isDirectory() && dirname(path) !== search.contents
    const inside = isExamined ? await findForeignEntry(path, search) : null
    if (inside !== null) return inside
  }
  return null
}

/** Names in a folder; none for a file, and for a folder that this user cannot read. */
async function readNames(path: string): Promise<readonly string[]> {
  const names = readdir(path).catch((error: unknown) => {
    if (errorCode(error) === 'EACCES') return []
    throw error
  })
  return (await unlessMissing(names)) ?? []
}

function describeOwner(path: string, { uid }: { readonly uid: number }): string {
  return `${path} belongs to another user (${uid})`
}

/** A running service may remove files meanwhile. */
async function unlessMissing<T>(result: Promise<T>): Promise<T | null> {
  return await result.catch((error: unknown) => {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  })
}
