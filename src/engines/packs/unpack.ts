import { execFile } from 'node:child_process'
import { open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { MediaError } from '../../contract/errors.ts'
import { syncFolder } from '../../platform/durable.ts'
import { createFolder } from '../../platform/folder.ts'
import { extractedPaths } from './machine.ts'
import type { NodePackage } from './manifest.ts'
import { fileSha256 } from './sha256.ts'
import type { InstalledFile } from './store.ts'

/** Unpacks what is needed here of a checked package into a folder's `node_modules`. Throws 6401. */
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
  // To GNU's tar, which Windows may find first, the colon of `C:` ends another machine's name.
  const cwd = dirname(archive)
  const paths = ['-f', basename(archive), '-C', relative(cwd, target)]
  try {
    // GNU's tar on Linux; macOS and Windows have bsdtar by that name, which takes the same.
    const args = ['-xz', '--no-same-owner', '--strip-components=1', ...paths, ...members]
    await promisify(execFile)('tar', args, { cwd, ...(signal && { signal }) })
  } catch (error) {
    signal?.throwIfAborted()
    throw unpackError(name, error, 'Install the program tar')
  }
}

/** Unpacks a checked archive of a model into the folder it lies in, without its outermost folder. Throws 6401. */
export async function unpackModelArchive(archive: string, signal?: AbortSignal): Promise<void> {
  const args = ['-xj', '--no-same-owner', '--strip-components=1', '-f', basename(archive)]
  try {
    await promisify(execFile)('tar', args, { cwd: dirname(archive), ...(signal && { signal }) })
  } catch (error) {
    signal?.throwIfAborted()
    throw unpackError(basename(archive), error, 'Install the programs tar and bzip2')
  }
}

function unpackError(name: string, error: unknown, what: string): MediaError {
  const told = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return new MediaError(6401, `${name} cannot be unpacked here: ${told || String(error)}`, {
    cause: error,
    retryable: false,
    hint: `${what}, and see that the disk has space.`,
  })
}

/** Windows flushes only what may be written; elsewhere files may be there for reading alone. */
const syncFlags = process.platform === 'win32' ? 'r+' : 'r'

/** Lists every file below a folder but those named in it, all of which survive a power cut from then on. */
export async function createInventory(folder: string, without: readonly string[]): Promise<InstalledFile[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const kept: InstalledFile[] = []
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await syncFolder(path)
    const name = relative(folder, path).split(sep).join('/')
    if (!entry.isFile() || without.includes(name)) continue
    await using file = await open(path, syncFlags)
    await file.sync()
    const { size: bytes } = await file.stat()
    kept.push({ path: name, bytes, sha256: await fileSha256(path) })
  }
  return kept
}
