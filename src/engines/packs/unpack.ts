import { execFile } from 'node:child_process'
import { open, readdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { MediaError } from '../../contract/errors.ts'
import { syncFolder } from '../../platform/durable.ts'
import { makeFolder } from '../../platform/folder.ts'
import type { NodePackage } from './manifest.ts'
import { sha256Of } from './sha256.ts'
import { inventoryFile, type Kept } from './store.ts'

/** Unpacks what is needed here of a checked package into a folder's `node_modules`. Throws 6401. */
export async function unpack(
  archive: string,
  { name, keep }: NodePackage,
  { folder, signal }: { folder: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const target = join(folder, 'node_modules', name)
  await rm(target, { recursive: true, force: true })
  await makeFolder(target)
  const { platform, arch } = process
  const members = keep.map(
    (path) => `package/${path.replace('{platform}', platform).replace('{arch}', arch)}`,
  )
  try {
    // GNU's tar on Linux; macOS and Windows have bsdtar by that name, which takes the same.
    const args = ['-xzf', archive, '-C', target, '--strip-components=1', ...members]
    await promisify(execFile)('tar', args, signal && { signal })
  } catch (error) {
    signal?.throwIfAborted()
    const told = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new MediaError(6401, `${name} cannot be unpacked here: ${told || String(error)}`, {
      cause: error,
      retryable: false,
      hint: 'Install the program tar, and see that the disk has space.',
    })
  }
}

/** Lists every file below a folder, all of which survive a power cut from then on. */
export async function takeInventory(folder: string): Promise<Kept[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const kept: Kept[] = []
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await syncFolder(path)
    if (!entry.isFile() || entry.name === inventoryFile) continue
    await using file = await open(path, 'r+')
    await file.sync()
    const { size: bytes } = await file.stat()
    kept.push({ path: relative(folder, path).split(sep).join('/'), bytes, sha256: await sha256Of(path) })
  }
  return kept
}
