import { dirname } from 'node:path'
import { resolveLinks } from './folder.ts'
import { type FileIdentity, identityOf } from './opened-path.ts'
import { isInside, outermostFolders, type Platform } from './paths.ts'

/** A folder or file that only the service uses. */
export interface PrivateFolder {
  /** Absolute; need not exist. */
  readonly path: string
  /** What the service uses it for, for messages: `data folder`. */
  readonly use: string
}

/** The private folder that an absolute path is, or is inside, by the text of both alone. */
export function privateFolderByName(
  folders: readonly PrivateFolder[],
  path: string,
  platform?: Platform,
): PrivateFolder | undefined {
  return folders.find((folder) => isInside(folder.path, path, platform))
}

/**
 * The private folder that a real path is, or is inside. It is recognised by its path and, on every folder of the path, by
 * device and inode: so also through bind mounts, hard links and file systems that ignore case. The path need not exist.
 * opened: identity of the opened file, if its path may have been replaced since.
 */
export async function findPrivateFolder(
  folders: readonly PrivateFolder[],
  path: string,
  opened?: FileIdentity,
): Promise<PrivateFolder | undefined> {
  if (folders.length === 0) return undefined
  // A folder inside another one has that one's real path, or is a link that its identity shows.
  const outermost = new Set(outermostFolders(folders.map((folder) => folder.path)))
  const real = await Promise.all(
    folders
      .filter((folder) => outermost.has(folder.path))
      .map(async (folder) => ({ ...folder, path: await resolveLinks(folder.path) })),
  )
  const named = privateFolderByName(folders, path) ?? privateFolderByName(real, path)
  if (named) return named
  const known = await foldersByIdentity(folders)
  const identities = [opened, ...(await Promise.all([...pathAndParents(path)].map(identityOf)))]
  return identities.map((identity) => identity && known.get(identityKey(identity))).find(Boolean)
}

async function foldersByIdentity(folders: readonly PrivateFolder[]): Promise<Map<string, PrivateFolder>> {
  const found = await Promise.all(
    folders.map(async (folder) => [folder, await identityOf(folder.path)] as const),
  )
  const known = new Map<string, PrivateFolder>()
  for (const [folder, identity] of found) {
    // Some network file systems have no inode numbers.
    if (identity && identity.ino !== 0n) known.set(identityKey(identity), folder)
  }
  return known
}

function identityKey({ dev, ino }: FileIdentity): string {
  return `${dev}:${ino}`
}

/** A path, then each folder above it up to the root. */
function* pathAndParents(path: string): Generator<string> {
  for (let at = path; ; at = dirname(at)) {
    yield at
    if (dirname(at) === at) return
  }
}
