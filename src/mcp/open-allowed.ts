import { constants, type BigIntStats } from 'node:fs'
import { lstat, mkdir, open, opendir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, fileKinds, kindOf, supportedHint, type FileKind } from '../contract/file-kind.ts'
import { summarizeList } from '../contract/format.ts'
import { nearestName } from '../contract/suggest-fix.ts'
import type { LocalFile } from '../contract/upload.ts'
import { errorCode } from '../platform/system-error.ts'
import { resolveLinks } from '../platform/folder.ts'
import { entryPath, listMediaFolder } from './folder-listing.ts'
import { assertAllowed, folderHints, type Folders, isInside, toAbsolute } from './workspace.ts'

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
  /** Of a remote file: fetches its bytes, reports the share 0 to 1, and returns their number. */
  readonly fill?: (signal: AbortSignal, onProgress: (share: number) => void) => Promise<number>
}

/** An open folder for writing, protected from replacement if the system allows that. */
export interface OpenedFolder extends AsyncDisposable {
  /** The folder's real path, for messages. */
  readonly path: string
  /** Path for file operations: on Linux it goes through the open descriptor. */
  readonly base: string
}

// Opening a FIFO must not block, and a terminal must not become the controlling one. Windows has neither flag.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

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
  assertAllowed(folders, leadsTo, given)
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
    const real = await realPathOfHandle(handle, path, stats)
    assertAllowed(folders, real, given)
    if (!stats.isFile()) throw await notAFile(given, stats.isDirectory() ? real : undefined)
    const kind = kindOf(extensionOf(basename(path)))
    if (!kind) throw unsupportedExtension(given, wanted)
    if (stats.size === 0n) throw new MediaError(6011, `${given} is empty`)
    const { dev, ino, size, mtimeNs, ctimeNs } = stats
    const identity = [dev, ino, size, mtimeNs, ctimeNs].join(':')
    const local = { path: real, device: String(dev), inode: String(ino) }
    return { handle, name: basename(path), kind, size: Number(size), identity, local }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens a folder that an agent named for writing, and creates its missing parts. */
export async function openAllowedFolder(folders: Folders, given: string): Promise<OpenedFolder> {
  const { ancestor, missing } = await checkAllowedFolder(folders, given)
  let path = ancestor
  for (const part of missing) {
    path = join(path, part)
    await mkdir(path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  }
  // Windows cannot open folders; elsewhere the descriptor shows which folder was opened.
  if (process.platform === 'win32') {
    assertAllowed(folders, await realpath(path), given)
    return { path, base: path, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const real = await realPathOfHandle(handle, path, await handle.stat({ bigint: true }))
    assertAllowed(folders, real, given)
    const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : real
    return { path: real, base, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
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
  assertAllowed(folders, await resolveLinks(path), given)
  let existing = path
  while (!(await pathExists(existing)) && dirname(existing) !== existing) existing = dirname(existing)
  const ancestor = await realpath(existing).catch((error: unknown) => {
    throw unreadablePath(folders, given, { cause: error })
  })
  const rest = relative(existing, path)
  assertAllowed(folders, join(ancestor, rest), given)
  if (!(await stat(ancestor)).isDirectory()) throw new MediaError(6016, `${given} is not a folder`)
  return { ancestor, missing: rest === '' ? [] : rest.split(sep) }
}

/** A dangling symbolic link exists: nothing may be written through it. */
async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function realPathOfHandle(handle: FileHandle, path: string, stats: BigIntStats): Promise<string> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`)
  const real = await realpath(path)
  const current = await stat(real, { bigint: true })
  if (current.dev === stats.dev && current.ino === stats.ino) return real
  throw new MediaError(6016, `${path} changed while it was opened`, { retryable: true })
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
