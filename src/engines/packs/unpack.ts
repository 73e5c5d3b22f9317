import type { Dirent } from 'node:fs'
import { open, readdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { syncFolder } from '../../platform/durable.ts'
import { createFolder } from '../../platform/folder.ts'
import { runChild } from '../ffmpeg/child.ts'
import { extractedPaths } from './machine.ts'
import type { NodePackage } from './manifest.ts'
import { fileSha256 } from './sha256.ts'
import type { InstalledFile } from './store.ts'

/** Unpacks the files of a verified package that this machine needs into the `node_modules` of a folder. Throws 6401. */
export async function unpackPackage(
  archive: string,
  item: NodePackage,
  { folder, signal }: { folder: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const { name } = item
  const target = join(folder, 'node_modules', name)
  await rm(target, { recursive: true, force: true })
  await createFolder(target)
  const members = extractedPaths(item).map((path) => `package/${path}`)
  // GNU tar, which Windows may find first, takes `C:` for the name of another host.
  const cwd = dirname(archive)
  const paths = ['-f', basename(archive), '-C', relative(cwd, target)]
  try {
    // macOS and Windows have bsdtar by that name, which accepts the same arguments as GNU tar.
    const args = [
      '-xz',
      '--no-same-owner',
      '--no-same-permissions',
      '--strip-components=1',
      ...paths,
      ...members,
    ]
    await runTar(args, cwd, signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw unpackError(name, error, 'Install the program tar')
  }
}

/** Unpacks a verified archive of a model into its own folder, without its top folder. Throws 6401. */
export async function unpackModelArchive(archive: string, signal?: AbortSignal): Promise<void> {
  const args = [
    '-xj',
    '--no-same-owner',
    '--no-same-permissions',
    '--strip-components=1',
    '-f',
    basename(archive),
  ]
  try {
    await runTar(args, dirname(archive), signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw unpackError(basename(archive), error, 'Install the programs tar and bzip2')
  }
}

/** Time limit, ms. The largest archive has about 1 GB. */
const tarTimeoutMs = 30 * 60_000

/** Runs tar in a folder. Throws an Error with its output if it fails, stalls or exceeds its time limit. */
async function runTar(args: readonly string[], cwd: string, signal: AbortSignal | undefined): Promise<void> {
  const { code, log, timedOut, stalledMs } = await runChild({
    ...{ file: 'tar', args, cwd, signal, timeoutMs: tarTimeoutMs },
  })
  if (timedOut || stalledMs !== undefined) throw new Error('tar made no progress')
  if (code !== 0) throw new Error(log || `tar exited with ${code}`)
}

function unpackError(name: string, error: unknown, what: string): MediaError {
  const reason = error instanceof Error ? error.message : String(error)
  return new MediaError(6401, `${name} cannot be unpacked here: ${reason}`, {
    cause: error,
    retryable: false,
    hint: `${what}, and check that the disk has space.`,
  })
}

/** Windows syncs only files opened for writing; elsewhere files may be read-only. */
const syncFlags = process.platform === 'win32' ? 'r+' : 'r'

interface InventoryOptions {
  /** Files that the list does not contain. */
  readonly excluded: readonly string[]
  /** Most bytes of all other files, by their sizes: a sparse file counts in full. */
  readonly maxBytes: number
}

/**
 * Syncs all files of a folder to disk and returns a list of them. Throws 6401 if they are too large together, for a link
 * that leads out of the folder or nowhere, and for anything that is neither file, folder nor link.
 */
export async function createInventory(
  folder: string,
  { excluded, maxBytes }: InventoryOptions,
): Promise<InstalledFile[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: InstalledFile[] = []
  let total = 0
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await syncFolder(path)
    const name = relative(folder, path).split(sep).join('/')
    if (!(await isInside(folder, entry))) throw foreignEntryError(name)
    if (!entry.isFile() || excluded.includes(name)) continue
    await using file = await open(path, syncFlags)
    const { size: bytes } = await file.stat()
    total += bytes
    if (total > maxBytes) throw tooLargeError(name, maxBytes)
    await file.sync()
    files.push({ path: name, bytes, sha256: await fileSha256(path) })
  }
  return files
}

/** Whether an entry is a file or a folder of the folder, or a link to one. */
async function isInside(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile() || entry.isDirectory()
  const target = await realpath(join(entry.parentPath, entry.name)).catch(() => null)
  return target !== null && target.startsWith((await realpath(folder)) + sep)
}

function foreignEntryError(name: string): MediaError {
  return new MediaError(6401, `${name} is not a file, or links to one outside its pack`, {
    retryable: false,
    hint: reportArchiveHint,
  })
}

function tooLargeError(name: string, maxBytes: number): MediaError {
  return new MediaError(6401, `with ${name} the unpacked files are larger than ${describeSize(maxBytes)}`, {
    retryable: false,
    hint: reportArchiveHint,
  })
}

const reportArchiveHint = 'Do not use this archive, and report it: the manifest must name another one.'
