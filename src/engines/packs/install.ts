import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { syncFolder, writeDurably } from '../../platform/durable.ts'
import { lockFile } from '../../platform/file-lock.ts'
import { freeSpace, createFolder } from '../../platform/folder.ts'
import { downloadVerified, type StagedDownload } from './download-file.ts'
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

/** How often it is asked whether another process has ended its pull, ms. */
const lockPollMs = 200

/**
 * Brings a pack that is not there, or is damaged; answers whether there was anything to do. Of pulls at once one
 * works and the others wait for it. Where one is ended, what was received so far stays, and of an engine the packages
 * that npm brought whole. Older versions go when the new one is there. Throws 6401 with what helps.
 */
export async function installPack(
  packs: Packs,
  name: string,
  follow: PackDownloadOptions = {},
): Promise<'pulled' | 'there'> {
  const pack = packByName(packs, name)
  if (pack.kind === 'own') {
    if ((await locatePack(packs, name)) !== null) return 'there'
    throw ownModelNotSetError(name)
  }
  if (pack.kind === 'engine' && !hasBuild(pack)) throw noBuildError(pack)
  try {
    await createFolder(packs.folder)
    return await withPackLock(packs, { name, signal: follow.signal }, async () => {
      if (await isIntact(packs, name)) return 'there'
      await downloadAndInstall(packs, { name, pack }, follow)
      return 'pulled'
    })
  } catch (error) {
    throw toDiskError(error, packs.folder)
  }
}

async function downloadAndInstall(
  packs: Packs,
  { name, pack }: { name: string; pack: ModelPack | EnginePack },
  follow: PackDownloadOptions,
): Promise<void> {
  const folder = packFolder(packs, name, pack)
  const part = `${folder}.part`
  await createFolder(part)
  await checkFreeSpace(packs, pack, part)
  await downloadAll(packs, pack, { ...follow, stagingFolder: part })
  await publishFolder(pack, part, folder)
  for (const entry of await installedVersions(packs, name)) {
    // One that another process has in use goes with the next.
    if (entry !== basename(folder)) await removeInstalled(join(packs.folder, entry)).catch(() => undefined)
  }
}

/** Removes a pack, every version of it, and what was received of it; answers whether there was anything. */
export async function removePack(packs: Packs, name: string): Promise<boolean> {
  packByName(packs, name)
  const place = await stat(packs.folder).catch(() => null)
  if (!place?.isDirectory()) return false
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

/** Names of the folders of a pack's versions, and of what was received of them. */
async function installedVersions({ folder }: Packs, name: string): Promise<string[]> {
  const isOurs = (entry: string) => /^-[0-9a-f]{12}(\.part)?$/.test(entry.slice(name.length))
  return (await readdir(folder)).filter((entry) => entry.startsWith(name) && isOurs(entry))
}

/** Without its inventory a pack is out of use at once, however long the rest takes. */
async function removeInstalled(folder: string): Promise<void> {
  await rm(join(folder, inventoryFile), { force: true })
  await rm(folder, { recursive: true, force: true })
}

/** What answers who asks for a model that they have not brought. */
export function ownModelNotSetError(name: string): MediaError {
  return new MediaError(6401, `the model ${name} is one that you bring, and none is set`, {
    retryable: false,
    hint: ownModelHint(name),
  })
}

/** The place for a model of one's own. */
export function ownModelHint(name: string): string {
  return `Set in reelwright.config.json of the data folder: "models": { "${name}": { "path": "…", "sha256": "…" } }`
}

/** Work on a pack that nobody else does at the same time, in whatever process. */
async function withPackLock<T>(
  { folder }: Packs,
  { name, signal }: { name: string; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted()
    using held = lockFile(join(folder, `${name}.lock`))
    if (held) return await work()
    await pause(lockPollMs, undefined, { signal })
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

/** Bytes of what is unpacked. */
function unpackedBytes(pack: ModelPack | EnginePack): number {
  if (pack.kind === 'engine') return pack.unpackedBytes
  return modelFiles(pack).reduce((sum, { unpackedBytes: unpacked = 0 }) => sum + unpacked, 0)
}

/** What is kept only as it was unpacked. */
function archiveNames(pack: ModelPack | EnginePack): readonly string[] {
  const files =
    pack.kind === 'engine'
      ? packArtifacts(pack)
      : modelFiles(pack).filter(({ unpackedBytes: unpacked }) => unpacked)
  return files.map(({ file }) => file)
}

async function downloadAll(
  packs: Packs,
  pack: ModelPack | EnginePack,
  filling: StagedDownload,
): Promise<void> {
  const { stagingFolder: part, signal, onProgress } = filling
  let before = 0
  const each = { ...filling, onProgress: (bytes: number) => onProgress?.(before + bytes) }
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

/** The folder takes its name only when all of it is on the disk; what engines are unpacked from stays until then. */
async function publishFolder(pack: ModelPack | EnginePack, part: string, folder: string): Promise<void> {
  for (const entry of await readdir(part)) {
    if (/^npm-|\.(etag|tmp)$/.test(entry)) await rm(join(part, entry), { recursive: true, force: true })
  }
  const archives = archiveNames(pack)
  const kept = await createInventory(part, [inventoryFile, ...archives])
  await writeDurably(join(part, inventoryFile), JSON.stringify(kept))
  // A damaged one is out of use anyhow.
  await removeInstalled(folder)
  await rename(part, folder)
  await syncFolder(dirname(folder))
  for (const file of archives) await removePartialFile(join(folder, file))
}

function toDiskError(error: unknown, folder: string): unknown {
  // SQLite's, of the lock, have no system call.
  if (!(error instanceof Error) || !('syscall' in error || 'errcode' in error)) return error
  return new MediaError(6401, `${folder} cannot be changed: ${error.message}`, {
    cause: error,
    retryable: false,
    hint: 'See that the disk has space, that you may write there, and that nothing uses the pack; then repeat the command.',
  })
}
