import type { BigIntStats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { resolveLinks } from './folder.ts'
import { containsFile } from './linked-files.ts'
import { type FileIdentity, identityOf } from './opened-path.ts'
import { firstPartInside, isInside, outermostFolders, type Platform } from './paths.ts'

/** A folder or file that only the service uses. */
export interface PrivateFolder {
  /** Absolute; need not exist. */
  readonly path: string
  /** What the service uses it for, for messages: `data folder`. */
  readonly use: string
  /** If set, only the entries of the folder with such names are private, and the folder itself is not. */
  readonly names?: RegExp
  /** The `names` that apply instead of all where the folder contains a folder of the user; see `narrowFolders`. */
  readonly namesIfShared?: RegExp
  /** What to do about a path in it, for the hint of an error. */
  readonly hint?: string
  /** Whether anyone may know its content, such as program files, which package managers link to a store of their own. */
  readonly isPublished?: true
}

/** An opened file or folder: what identifies it, and its number of names. */
type OpenedEntry = Pick<BigIntStats, 'dev' | 'ino' | 'nlink' | 'isFile'>

/** The private folder that an absolute path is, or is inside, by the text of both alone. */
export function privateFolderByName(
  folders: readonly PrivateFolder[],
  path: string,
  platform?: Platform,
): PrivateFolder | undefined {
  return folders.find((folder) => {
    const part = firstPartInside(folder.path, path, platform)
    return part !== undefined && isPrivatePart(folder, part)
  })
}

/** Whether an entry of a folder is private; an empty name is the folder itself. */
function isPrivatePart({ names }: PrivateFolder, part: string): boolean {
  return names === undefined || (part !== '' && names.test(part))
}

/**
 * Leaves only the `namesIfShared` of folders that contain a folder of the user. Resolves symbolic links on both sides.
 * used: absolute paths of the user's folders.
 */
export async function narrowFolders(
  folders: readonly PrivateFolder[],
  used: readonly string[],
): Promise<readonly PrivateFolder[]> {
  if (!folders.some(({ namesIfShared }) => namesIfShared)) return folders
  const realUsed = await Promise.all(used.map((path) => resolveLinks(path)))
  return await Promise.all(
    folders.map(async (folder) => {
      if (!folder.namesIfShared) return folder
      const real = await resolveLinks(folder.path)
      return realUsed.some((path) => isInside(real, path)) ? narrowFolder(folder) : folder
    }),
  )
}

/** The folder with only its `namesIfShared` private; unchanged without them. */
export function narrowFolder({ namesIfShared, ...folder }: PrivateFolder): PrivateFolder {
  return { ...folder, ...(namesIfShared && { names: namesIfShared }) }
}

/** Paths of the folders that are private as a whole, without those inside another one. */
export function outermostPrivatePaths(folders: readonly PrivateFolder[]): string[] {
  return outermostFolders(folders.filter(({ names }) => !names).map(({ path }) => path))
}

/**
 * The private folder that a real path is, or is inside. It is recognised by its path and, on every folder of the path, by
 * device and inode: so also through bind mounts and file systems that ignore case. The path need not exist.
 * opened: the opened file, whose path may have been replaced since. A hard link to any file in a private folder is inside
 * that folder, unless its content is published.
 */
export async function findPrivateFolder(
  folders: readonly PrivateFolder[],
  path: string,
  opened?: OpenedEntry,
): Promise<PrivateFolder | undefined> {
  if (folders.length === 0) return undefined
  // A folder inside another one has that one's real path, or is a link that its identity shows.
  const outermost = new Set(outermostPrivatePaths(folders))
  const real = await Promise.all(
    folders
      .filter((folder) => outermost.has(folder.path) || folder.names)
      .map(async (folder) => ({ ...folder, path: await resolveLinks(folder.path) })),
  )
  const named = privateFolderByName(folders, path) ?? privateFolderByName(real, path)
  if (named) return named
  const identities = await identifyFolders(folders)
  return (await findByIdentity(identities, path, opened)) ?? (await findHardLink(identities, opened))
}

interface IdentifiedFolder {
  readonly folder: PrivateFolder
  readonly identity: FileIdentity
}

async function identifyFolders(folders: readonly PrivateFolder[]): Promise<IdentifiedFolder[]> {
  const found = await Promise.all(
    folders.map(async (folder) => ({ folder, identity: await identityOf(folder.path) })),
  )
  // Some network file systems have no inode numbers.
  return found.flatMap(({ folder, identity }) =>
    identity && identity.ino !== 0n ? [{ folder, identity }] : [],
  )
}

async function findByIdentity(
  identified: readonly IdentifiedFolder[],
  path: string,
  opened: FileIdentity | undefined,
): Promise<PrivateFolder | undefined> {
  const byKey = Map.groupBy(identified, ({ identity }) => identityKey(identity))
  const parts = [...pathAndParents(path)].map(async (at) => ({ ...at, identity: await identityOf(at.path) }))
  for (const { part, identity } of [{ part: '', identity: opened }, ...(await Promise.all(parts))]) {
    const same = identity ? (byKey.get(identityKey(identity)) ?? []) : []
    const found = same.find(({ folder }) => isPrivatePart(folder, part))
    if (found) return found.folder
  }
  return undefined
}

/** The private folder that contains another name of the opened file. */
async function findHardLink(
  identified: readonly IdentifiedFolder[],
  opened: OpenedEntry | undefined,
): Promise<PrivateFolder | undefined> {
  if (!opened?.isFile() || opened.nlink <= 1n) return undefined
  // Files of an overlay may have another device than their folder, but the same as other files in it.
  if (!identified.some(({ identity }) => identity.dev === opened.dev)) return undefined
  const searched = new Set<string>()
  for (const { folder } of identified) {
    if (folder.isPublished) continue
    const path = await resolveLinks(folder.path)
    if ([...searched].some((other) => isInside(other, path))) continue
    if (folder.names ? await hasNamedFile(folder, opened) : await containsFile(folder, path, opened))
      return folder
    if (!folder.names) searched.add(path)
  }
  return undefined
}

/** Whether one of the private entries of a folder is this file. */
async function hasNamedFile(folder: PrivateFolder, file: FileIdentity): Promise<boolean> {
  const names = await readdir(folder.path).catch(() => [])
  const identities = await Promise.all(
    names.filter((name) => isPrivatePart(folder, name)).map((name) => identityOf(join(folder.path, name))),
  )
  return identities.some((identity) => identity && identityKey(identity) === identityKey(file))
}

function identityKey({ dev, ino }: FileIdentity): string {
  return `${dev}:${ino}`
}

/** A path, then each folder above it up to the root, each with the part of the path below it. */
function* pathAndParents(path: string): Generator<{ readonly path: string; readonly part: string }> {
  for (let at = path, part = ''; ; part = basename(at), at = dirname(at)) {
    yield { path: at, part }
    if (dirname(at) === at) return
  }
}
