import { opendir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { extensionOf, type FileKind, kindOf } from '../contract/file-kind.ts'
import { resolveLinks } from '../platform/folder.ts'
import { assertUsable, type Folders, toAbsolute } from './workspace.ts'

/** Most entries of a folder that are read. */
const maxScannedEntries = 2000

/** A media file in a folder. */
interface ListedFile {
  readonly name: string
  readonly kind: FileKind
}

/** Media files and folders inside a folder, by name; hidden ones are left out. */
export interface FolderListing {
  readonly files: readonly ListedFile[]
  readonly folders: readonly string[]
  /** Whether the folder has more entries than were read. */
  readonly isTruncated: boolean
}

/**
 * Lists a folder that an agent named; undefined if the path is no folder. Throws 6016 for a folder outside the allowed
 * ones, and for one of the service.
 */
export async function listAllowedFolder(folders: Folders, given: string): Promise<FolderListing | undefined> {
  const path = toAbsolute(folders, given)
  // Checked first, so that an error does not reveal whether a folder outside exists.
  await assertUsable(folders, { real: await resolveLinks(path) }, given)
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  if (!isFolder) return undefined
  const real = await realpath(path)
  await assertUsable(folders, { real }, given)
  return await listMediaFolder(real)
}

/** Lists a folder, which the caller has checked. */
export async function listMediaFolder(path: string): Promise<FolderListing> {
  const files: ListedFile[] = []
  const folders: string[] = []
  let scanned = 0
  for await (const entry of await opendir(path)) {
    if (scanned === maxScannedEntries) return { ...sortByName(files, folders), isTruncated: true }
    scanned += 1
    if (entry.name.startsWith('.')) continue
    const kind = kindOf(extensionOf(entry.name))
    if (entry.isDirectory()) folders.push(entry.name)
    else if (entry.isFile() && kind) files.push({ name: entry.name, kind })
  }
  return { ...sortByName(files, folders), isTruncated: false }
}

function sortByName(files: readonly ListedFile[], folders: readonly string[]) {
  const compare = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true })
  return {
    files: files.toSorted((one, other) => compare(one.name, other.name)),
    folders: folders.toSorted(compare),
  }
}

/** Path of an entry of a folder, as an agent may write it. */
export function entryPath(folder: string, name: string): string {
  return folder === '.' ? name : join(folder, name)
}
