import { constants } from 'node:fs'
import { lstat, open, opendir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, fileKinds, kindOf, supportedHint, type FileKind } from '../contract/file-kind.ts'
import { summarizeList } from '../contract/format.ts'
import { nearestName } from '../contract/suggest-fix.ts'
import type { LocalFile } from '../contract/upload.ts'
import { errorCode } from '../platform/system-error.ts'
import { resolveLinks } from '../platform/folder.ts'
import { FolderChangedError, type HeldFolder, holdFolder, holdSubfolder } from '../platform/held-folder.ts'
import { hasDescriptorPaths, realPathOfHandle } from '../platform/opened-path.ts'
import { isInside } from '../platform/paths.ts'
import { entryPath, listMediaFolder } from './folder-listing.ts'
import { assertUsable, folderHints, type Folders, toAbsolute } from './workspace.ts'

/** An open file; all reads use the descriptor. */
export interface OpenedFile {
  readonly handle: FileHandle
  readonly name: string
  readonly kind: FileKind
  /** Bytes. */
  readonly size: number
  /** Its location on this machine. */
  readonly local?: LocalFile
  /** Equal for the same file with the same content. */
  readonly identity: string
  /** Whether any later change gives it another identity. */
  readonly isSettled?: boolean
  /** Of a remote file: fetches its bytes, reports the share 0 to 1, and returns their number. */
  readonly fill?: (signal: AbortSignal, onProgress: (share: number) => void) => Promise<number>
}

// Opening a FIFO must not block, and a terminal must not become the controlling one. Windows has neither flag.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Longest step in which a file system counts the time of changes, ms (FAT). */
const maxTimeStepMs = 2000

/** Whether a path names an existing regular file. */
export async function isExistingFile(folders: Folders, given: string): Promise<boolean> {
  return stat(toAbsolute(folders, given)).then(
    (stats) => stats.isFile(),
    () => false,
  )
}

/**
 * Opens a file that an agent named and checks the opened file: location, extension, size. The caller closes it and
 * checks its kind. wanted: accepted kinds, used only in hints.
 */
export async function openAllowedFile(
  folders: Folders,
  given: string,
  wanted: readonly FileKind[] = fileKinds,
): Promise<OpenedFile> {
  const path = toAbsolute(folders, given)
  // Checked first, so that an error does not reveal whether a file outside exists.
  const leadsTo = await resolveLinks(path)
  await assertUsable(folders, { real: leadsTo }, given)
  const before = await stat(path).catch(async (error: unknown) => {
    throw unreadablePath(folders, given, {
      cause: error,
      suggestion: await suggestFileName(folders, leadsTo, wanted),
    })
  })
  if (!before.isFile()) throw await notAFile(given, before.isDirectory() ? leadsTo : undefined)
  const handle = await open(path, openFlags).catch((error: unknown) => {
    throw unreadablePath(folders, given, { cause: error })
  })
  try {
    const stats = await handle.stat({ bigint: true })
    const real = await realPathOfHandle(handle, path)
    if (real === null) throw changedWhileOpened(given)
    await assertUsable(folders, { real, opened: stats }, given)
    if (!stats.isFile()) throw await notAFile(given, stats.isDirectory() ? real : undefined)
    const kind = kindOf(extensionOf(basename(path)))
    if (!kind) throw unsupportedExtension(given, wanted)
    if (stats.size === 0n) throw new MediaError(6011, `${given} is empty`)
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = stats
    const identity = [dev, ino, size, mtimeNs, ctimeNs].join(':')
    const local = { path: real, device: String(dev), inode: String(ino) }
    const isSettled = Date.now() - Number(ctimeMs) > maxTimeStepMs
    return { handle, name: basename(path), kind, size: Number(size), identity, isSettled, local }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Returns the error of `openAllowedFile` for an allowed folder; undefined for everything else. Throws 6016 for paths
 * outside the allowed folders.
 */
export async function folderError(folders: Folders, given: string): Promise<MediaError | undefined> {
  const leadsTo = await resolveLinks(toAbsolute(folders, given))
  await assertUsable(folders, { real: leadsTo }, given)
  const isFolder = await stat(leadsTo).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  return isFolder ? await notAFile(given, leadsTo) : undefined
}

/**
 * Opens a folder that an agent named for writing, and creates its missing parts one by one, each checked in its opened
 * parent. Throws 6016; retryable if a part was replaced or removed at the same moment.
 */
export async function openAllowedFolder(
  folders: Folders,
  given: string,
  byDescriptor = hasDescriptorPaths,
): Promise<HeldFolder> {
  const { ancestor, missing } = await checkAllowedFolder(folders, given)
  const check = (real: string): Promise<void> => assertUsable(folders, { real }, given)
  const opened: HeldFolder[] = []
  try {
    let folder = await holdFolder(ancestor, byDescriptor)
    opened.push(folder)
    await check(folder.path)
    for (const name of missing) {
      folder = await holdSubfolder(folder, name, { check, byDescriptor })
      opened.push(folder)
    }
    return opened.pop() ?? folder
  } catch (error) {
    throw error instanceof FolderChangedError ? changedWhileOpened(given, error) : error
  } finally {
    for (const folder of opened) await folder[Symbol.asyncDispose]()
  }
}

/** Opens the nearest existing folder of one for writing, and creates nothing. Throws the errors of `openAllowedFolder`. */
export async function openExistingParent(
  folders: Folders,
  given: string,
): Promise<HeldFolder & { readonly missing: readonly string[] }> {
  const { ancestor, missing } = await checkAllowedFolder(folders, given)
  const folder = await holdFolder(ancestor).catch((error: unknown) => {
    throw error instanceof FolderChangedError ? changedWhileOpened(given, error) : error
  })
  try {
    await assertUsable(folders, { real: folder.path }, given)
    return { ...folder, missing }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

/** Checks that a folder is allowed without creating it. Returns its existing ancestor and the missing parts. */
async function checkAllowedFolder(
  folders: Folders,
  given: string,
): Promise<{ readonly ancestor: string; readonly missing: readonly string[] }> {
  const path = toAbsolute(folders, given)
  // Checked first, as for files.
  await assertUsable(folders, { real: await resolveLinks(path) }, given)
  let existing = path
  while (!(await pathExists(existing)) && dirname(existing) !== existing) existing = dirname(existing)
  const ancestor = await realpath(existing).catch(async (error: unknown) => {
    // A dangling or circular link stays one; anything else is being replaced.
    const isBroken = await readlink(existing).then(
      async (target) => !(await isReachable(resolve(dirname(existing), target))),
      () => false,
    )
    throw isBroken || errorCode(error) !== 'ENOENT'
      ? unreadablePath(folders, given, { cause: error })
      : changedWhileOpened(given, error)
  })
  const rest = relative(existing, path)
  await assertUsable(folders, { real: join(ancestor, rest) }, given)
  const isFolder = await stat(ancestor).then(
    (stats) => stats.isDirectory(),
    (error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? changedWhileOpened(given, error) : error
    },
  )
  if (!isFolder) throw new MediaError(6016, `${given} is not a folder`)
  return { ancestor, missing: rest === '' ? [] : rest.split(sep) }
}

/** Whether a path leads to something through its links. */
async function isReachable(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** A dangling symbolic link exists: nothing may be written through it. */
async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** Error 6016 for a path that was replaced or removed at the same moment. */
function changedWhileOpened(given: string, cause?: unknown): MediaError {
  return new MediaError(6016, `${given} was replaced or removed while it was opened`, {
    cause,
    retryable: true,
    hint: 'Wait until no program changes that folder, then call again.',
  })
}

interface UnreadablePathOptions {
  readonly cause: unknown
  /** A similar file name in the same folder. */
  readonly suggestion?: string | undefined
}

function unreadablePath(
  folders: Folders,
  given: string,
  { cause, suggestion }: UnreadablePathOptions,
): MediaError {
  const { workspace, allowed } = folders
  const code = errorCode(cause) ?? 'unknown'
  const missing = code === 'ENOENT' || code === 'ENOTDIR'
  const message = missing ? `There is no ${given}` : `${given} cannot be opened (${code})`
  const hints = [
    ...(missing && suggestion !== undefined ? [`Did you mean ${join(dirname(given), suggestion)}?`] : []),
    `Relative paths start from ${workspace}. Allowed folders: ${allowed.join(', ')}.`,
    ...folderHints(folders),
  ]
  return new MediaError(6004, message, { cause, hint: hints.join(' ') })
}

/** Most entries of a folder that are searched for a similar name. */
const maxScannedEntries = 2000

/** Returns the most similar file name in the same folder; reveals nothing of folders outside the allowed ones. */
async function suggestFileName(
  folders: Folders,
  path: string,
  wanted: readonly FileKind[],
): Promise<string | undefined> {
  const folder = dirname(path)
  if (!folders.allowed.some((allowed) => isInside(allowed, folder))) return undefined
  const names: string[] = []
  let scanned = 0
  try {
    for await (const entry of await opendir(folder)) {
      const kind = kindOf(extensionOf(entry.name))
      const isHidden = entry.name.startsWith('.')
      if (entry.isFile() && !isHidden && kind && wanted.includes(kind)) names.push(entry.name)
      scanned += 1
      if (scanned === maxScannedEntries) break
    }
  } catch {
    // A suggestion is optional.
    return undefined
  }
  return nearestName(basename(path), names)
}

/** Most files of a folder that an error lists. */
const maxFilesListed = 10

/** Error for a path that is no file. folder: real path of an allowed folder, whose media files are listed. */
async function notAFile(given: string, folder: string | undefined): Promise<MediaError> {
  const listing = folder === undefined ? undefined : await listMediaFolder(folder).catch(() => undefined)
  const [first] = listing?.files ?? []
  if (!listing || !first) {
    const what = folder === undefined ? 'not a regular file' : 'a folder without media files'
    return new MediaError(6016, `${given} is ${what}`, { hint: 'Give the path of one media file.' })
  }
  const names = summarizeList(
    listing.files.map(({ name }) => name),
    maxFilesListed,
    ', ',
  )
  return new MediaError(6016, `${given} is a folder. It contains ${names}`, {
    hint: `Name one of them, such as ${entryPath(given, first.name)}.`,
  })
}

function unsupportedExtension(given: string, wanted: readonly FileKind[]): MediaError {
  const extension = extensionOf(basename(given))
  const what =
    extension === '' ? 'no extension' : `the extension ${extension}, which the service does not support`
  return new MediaError(6001, `${given} has ${what}`, { hint: supportedHint(wanted) })
}
