import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { keyedMutex, limitConcurrency } from './concurrency.ts'
import type { FileIdentity } from './opened-path.ts'
import { errorCode } from './system-error.ts'

/** What a folder contained when it was read, and its state then. */
interface Listing {
  readonly device: bigint
  readonly inode: bigint
  readonly ctimeNs: bigint
  /** Whether any later change of its entries gives it another `ctimeNs`. */
  readonly isSettled: boolean
  /** Regular files, see `fileKey`. */
  readonly files: ReadonlySet<bigint>
  /** Names of the folders inside. */
  readonly folders: readonly string[]
}

/** Listings of an earlier search, by path. */
type Listings = ReadonlyMap<string, Listing>

/** By the object that describes a folder, so that they are dropped with it. */
const listingsOf = new WeakMap<object, Listings>()

const oneAtATime = keyedMutex()

/** Folders that are read at once, and their entries. */
const parallelReads = 64

/**
 * Whether a folder contains this file, at any depth and by any name: whether the file is a hard link to one of its files.
 * Symbolic links inside are not followed. Folders that this user cannot read count as empty. The first search for a folder
 * object reads the identity of every file (100,000 files: 3 s of processor time); later ones with the same object read only the
 * folders that changed. path: real path of the folder.
 */
export async function containsFile(folder: object, path: string, file: FileIdentity): Promise<boolean> {
  // A concurrent search would read the same folders again.
  return await oneAtATime(path, async () => {
    const known = listingsOf.get(folder) ?? new Map()
    const listings = await listTree(path, known)
    listingsOf.set(folder, listings)
    return [...listings.values()].some(({ files }) => files.has(fileKey(file)))
  })
}

async function listTree(root: string, known: Listings): Promise<Listings> {
  const limited = limitConcurrency(parallelReads)
  const listings = new Map<string, Listing>()
  for (let level = [root]; level.length > 0;) {
    const read = await Promise.all(
      level.map(async (path) => [path, await limited(() => listFolder(path, known.get(path)))] as const),
    )
    level = []
    for (const [path, listing] of read) {
      if (!listing) continue
      listings.set(path, listing)
      level.push(...listing.folders.map((name) => join(path, name)))
    }
  }
  return listings
}

/** Longest step in which a file system counts the time of changes, ms (FAT). */
const maxTimeStepMs = 2000

/** Reads a folder unless a known listing still applies; null if it is none, or cannot be read. */
async function listFolder(path: string, known: Listing | undefined): Promise<Listing | null> {
  try {
    const now = Date.now()
    const { dev: device, ino: inode, ctimeNs, ctimeMs } = await lstat(path, { bigint: true })
    if (known?.isSettled && known.device === device && known.inode === inode && known.ctimeNs === ctimeNs)
      return known
    const isSettled = now - Number(ctimeMs) > maxTimeStepMs
    return { device, inode, ctimeNs, isSettled, ...(await readEntries(path)) }
  } catch (error) {
    if (unreadableCodes.includes(errorCode(error))) return null
    throw error
  }
}

/** Error codes of a folder that was removed or replaced meanwhile, or that this user may not read. */
const unreadableCodes: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']

async function readEntries(path: string): Promise<Pick<Listing, 'files' | 'folders'>> {
  const files = new Set<bigint>()
  const folders: string[] = []
  const limited = limitConcurrency(parallelReads)
  const visit = async (name: string): Promise<void> => {
    const found = await lstat(join(path, name), { bigint: true }).catch((error: unknown) => {
      if (unreadableCodes.includes(errorCode(error))) return null
      throw error
    })
    if (found?.isDirectory()) folders.push(name)
    else if (found?.isFile()) files.add(fileKey(found))
  }
  const names = await readdir(path)
  await Promise.all(names.map((name) => limited(() => visit(name))))
  return { files, folders }
}

/** Device and inode in one number. */
function fileKey({ dev, ino }: FileIdentity): bigint {
  return (dev << 64n) | ino
}
