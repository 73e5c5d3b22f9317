import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { syncFolder, writeDurably } from '../../platform/durable.ts'
import { lockFile } from '../../platform/file-lock.ts'
import { freeSpace, createFolder } from '../../platform/folder.ts'
import { downloadVerified, type StagedDownload } from './download-verified.ts'
import {
  packArtifacts,
  packDownloadBytes,
  modelFiles,
  hasBuild,
  noBuildError,
  enginePackages,
} from './machine.ts'
import type { EnginePack, ModelPack } from './manifest.ts'
import { removePartialFile, type PackDownloadOptions } from './resumable-download.ts'
import { findDamagedFiles, packFolder, inventoryFile, locatePack, packByName, type Packs } from './store.ts'
import { createInventory, unpackPackage, unpackModelArchive } from './unpack.ts'

/** Interval between attempts to lock a pack that another process is installing, in milliseconds. */
const lockPollMs = 200

/**
 * Installs a pack that is missing or damaged, and returns whether that was necessary. Concurrent calls wait for the
 * first one. An aborted call keeps the bytes that it received, and the packages that npm downloaded completely. Older
 * versions are removed once the new one is installed. Throws 6401 with a fix.
 */
export async function installPack(
  packs: Packs,
  name: string,
  options: PackDownloadOptions = {},
): Promise<'pulled' | 'there'> {
  const pack = packByName(packs, name)
  if (pack.kind === 'own') {
    if ((await locatePack(packs, name)) !== null) return 'there'
    throw ownModelNotSetError(name)
  }
  if (pack.kind === 'engine' && !hasBuild(pack)) throw noBuildError(pack)
  try {
    await createFolder(packs.folder)
    return await withPackLock(packs, { name, signal: options.signal }, async () => {
      if (await isIntact(packs, name)) return 'there'
      await downloadAndInstall(packs, { name, pack }, options)
      return 'pulled'
    })
  } catch (error) {
    throw toDiskError(error, packs.folder)
  }
}

async function downloadAndInstall(
  packs: Packs,
  { name, pack }: { name: string; pack: ModelPack | EnginePack },
  options: PackDownloadOptions,
): Promise<void> {
  const folder = packFolder(packs, name, pack)
  const part = `${folder}.part`
  await createFolder(part)
  await checkFreeSpace(packs, pack, part)
  await downloadAll(packs, pack, { ...options, stagingFolder: part })
  await publishFolder(pack, part, folder)
  for (const entry of await installedVersions(packs, name)) {
    // A version that another process uses is removed by the next installation.
    if (entry !== basename(folder)) await removeInstalled(join(packs.folder, entry)).catch(() => undefined)
  }
}

/** Removes all versions of a pack and its partial downloads. Returns whether there were any. */
export async function removePack(packs: Packs, name: string): Promise<boolean> {
  packByName(packs, name)
  const folder = await stat(packs.folder).catch(() => null)
  if (!folder?.isDirectory()) return false
  try {
    return await withPackLock(packs, { name }, async () => {
      const found = await installedVersions(packs, name)
      for (const entry of found) await removeInstalled(join(packs.folder, entry))
      return found.length > 0
    })
  } catch (error) {
    throw toDiskError(error, packs.folder)
  }
}

/** Returns the names of the folders of a pack's versions and partial downloads. */
async function installedVersions({ folder }: Packs, name: string): Promise<string[]> {
  const isOurs = (entry: string) => /^-[0-9a-f]{12}(\.part)?$/.test(entry.slice(name.length))
  return (await readdir(folder)).filter((entry) => entry.startsWith(name) && isOurs(entry))
}

/** Removes a folder, its inventory first: without it the pack is unusable at once. */
async function removeInstalled(folder: string): Promise<void> {
  await rm(join(folder, inventoryFile), { force: true })
  await rm(folder, { recursive: true, force: true })
}

/** The error for a user's own model that is not set. */
export function ownModelNotSetError(name: string): MediaError {
  return new MediaError(6401, `the model ${name} is your own, and its path is not set`, {
    retryable: false,
    hint: ownModelHint(name),
  })
}

/** Returns the instruction that sets a user's own model. */
export function ownModelHint(name: string): string {
  return `Set in reelwright.config.json of the data folder: "models": { "${name}": { "path": "…", "sha256": "…" } }`
}

/** Runs work on a pack while no other process works on that pack. */
async function withPackLock<T>(
  { folder }: Packs,
  { name, signal }: { name: string; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted()
    using lock = lockFile(join(folder, `${name}.lock`))
    if (lock) return await work()
    await delay(lockPollMs, undefined, { signal })
  }
}

async function isIntact(packs: Packs, name: string): Promise<boolean> {
  if ((await locatePack(packs, name)) === null) return false
  const damage = await findDamagedFiles(packs, name)
  return damage === null || damage.length === 0
}

async function checkFreeSpace(packs: Packs, pack: ModelPack | EnginePack, part: string): Promise<void> {
  const sizes = packArtifacts(pack).map(({ file }) =>
    stat(join(part, file)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  const received = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  const needed = packDownloadBytes(pack) - received + unpackedBytes(pack)
  const free = await freeSpace(packs.folder)
  if (needed <= free) return
  throw new MediaError(
    6401,
    `${pack.title} needs ${describeSize(needed)}, and ${packs.folder} has ${describeSize(free)}`,
    {
      retryable: false,
      hint: 'Free some space there (`reelwright clean` removes old files), then repeat the command.',
    },
  )
}

/** Returns the size of a pack's unpacked files, in bytes. */
function unpackedBytes(pack: ModelPack | EnginePack): number {
  if (pack.kind === 'engine') return pack.unpackedBytes
  return modelFiles(pack).reduce((sum, { unpackedBytes: bytes = 0 }) => sum + bytes, 0)
}

/** Returns the names of the archives of a pack, which are removed after unpacking. */
function archiveNames(pack: ModelPack | EnginePack): readonly string[] {
  const files =
    pack.kind === 'engine'
      ? packArtifacts(pack)
      : modelFiles(pack).filter(({ unpackedBytes: bytes }) => bytes)
  return files.map(({ file }) => file)
}

async function downloadAll(
  packs: Packs,
  pack: ModelPack | EnginePack,
  staged: StagedDownload,
): Promise<void> {
  const { stagingFolder: part, signal, onProgress } = staged
  let before = 0
  const each = { ...staged, onProgress: (bytes: number) => onProgress?.(before + bytes) }
  for (const file of pack.kind === 'model' ? modelFiles(pack) : []) {
    await downloadVerified(packs, file, each)
    if (file.unpackedBytes !== undefined) await unpackModelArchive(join(part, file.file), signal)
    before += file.bytes
  }
  for (const item of pack.kind === 'engine' ? enginePackages(pack) : []) {
    await downloadVerified(packs, { ...item.artifact, item }, each)
    await unpackPackage(join(part, item.artifact.file), item, { folder: part, signal })
    before += item.artifact.bytes
  }
}

/** Renames the folder to its final name once all of its files are synced to disk. Archives are removed after that. */
async function publishFolder(pack: ModelPack | EnginePack, part: string, folder: string): Promise<void> {
  for (const entry of await readdir(part)) {
    if (/^npm-|\.(etag|tmp)$/.test(entry)) await rm(join(part, entry), { recursive: true, force: true })
  }
  const archives = archiveNames(pack)
  const excluded = [inventoryFile, ...archives]
  // Declared sizes are approximate.
  const maxBytes = 2 * (packDownloadBytes(pack) + unpackedBytes(pack))
  const kept = await createInventory(part, { excluded, maxBytes })
  await writeDurably(join(part, inventoryFile), JSON.stringify(kept))
  // A damaged version cannot be in use.
  await removeInstalled(folder)
  await rename(part, folder)
  await syncFolder(dirname(folder))
  for (const file of archives) await removePartialFile(join(folder, file))
}

function toDiskError(error: unknown, folder: string): unknown {
  // Errors of SQLite, which holds the lock, have no `syscall`.
  if (!(error instanceof Error) || !('syscall' in error || 'errcode' in error)) return error
  return new MediaError(6401, `${folder} cannot be changed: ${error.message}`, {
    cause: error,
    retryable: false,
    hint: 'Check that the disk has space, that you have permission to write there, and that nothing uses the pack. Then repeat the command.',
  })
}
