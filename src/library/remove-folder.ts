import { readdir, realpath, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { Db, MaterialRow, WriteTransaction } from '../db/schema.ts'
import { removeUnreferencedContent, requireContent } from '../files/content.ts'
import { failpoint } from '../platform/failpoint.ts'
import { errorCode } from '../platform/system-error.ts'
import {
  copyOpenFile,
  type MaterialFile,
  openFolderFile,
  openMaterialFile,
  type OpenMaterialFile,
} from './material-file.ts'
import type { OpenLibrary } from './open-library.ts'
import { deleteMaterial, findFolder, type LibraryFolder, moveMaterial } from './records.ts'
import { isPostgres } from './word-index.ts'

/** Result of a removal: numbers of materials. */
export interface RemoveSummary {
  /** Real path of the folder. */
  readonly path: string
  readonly removed: number
  /** Granted ones, of which a copy is kept. */
  readonly kept: number
  /** Granted ones whose original was moved, deleted or changed before. */
  readonly lost: number
}

/**
 * Removes a folder from the library, not from the disk. Its materials are no longer found; of granted ones a copy of the
 * original is kept. An interrupted removal continues when it is repeated. Throws 6016 for a folder that is not in the library,
 * and before a granted material would be lost because it cannot be read now.
 */
export async function removeFolder(
  library: OpenLibrary,
  given: string,
  clock: () => number,
): Promise<RemoveSummary> {
  const folder = await locateFolder(library.db, given)
  await checkReadable(library, folder)
  await stopFinding(library, folder, clock)
  failpoint('library.remove.hidden')
  const counts = { removed: 0, kept: 0, lost: 0 }
  for (;;) {
    const row = await library.db
      .selectFrom('materials')
      .selectAll()
      .where('folder_id', '=', folder.id)
      .limit(1)
      .executeTakeFirst()
    if (!row) break
    counts[await removeMaterial(library, folder, row)] += 1
  }
  await library.db.deleteFrom('library_folders').where('id', '=', folder.id).execute()
  return { path: folder.path, ...counts }
}

async function locateFolder(db: Db, given: string): Promise<LibraryFolder> {
  const path = resolve(given)
  // The folder may no longer exist.
  const real = await realpath(path).catch(() => path)
  const folder = (await findFolder(db, real)) ?? (await findFolder(db, path))
  if (folder) return folder
  throw new MediaError(6016, `${given} is not in the library`, {
    hint: 'Use a folder of `reelwright library list`.',
  })
}

/** Throws 6016 if the folder has granted materials and cannot be read, or is empty, as a folder without its disk is. */
async function checkReadable({ db }: OpenLibrary, { id, path }: LibraryFolder): Promise<void> {
  const granted = await db
    .selectFrom('materials')
    .innerJoin('material_grants', 'material_id', 'materials.id')
    .select('materials.id')
    .where('folder_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (!granted) return
  const names = await readdir(path).catch((error: unknown) => {
    throw unreadable(`${path} cannot be read (${errorCode(error)})`, error)
  })
  if (names.length === 0) throw unreadable(`${path} is empty`)
}

function unreadable(problem: string, cause?: unknown): MediaError {
  return new MediaError(6016, `${problem}; copies of what searches returned must be kept`, {
    cause,
    hint:
      'Mount the folder or make it readable, then repeat the command. If its files are lost, put any file into a folder at ' +
      'this path, then repeat the command: what was found in it is then no longer available.',
  })
}

/** Marks all materials of a folder as removed, in short transactions. */
async function stopFinding({ db }: OpenLibrary, folder: LibraryFolder, clock: () => number): Promise<void> {
  const rows = await db
    .selectFrom('materials')
    .selectAll()
    .where('folder_id', '=', folder.id)
    .where('state', '!=', 'removed')
    .execute()
  for (const row of rows)
    await db.transaction().execute((trx) => moveMaterial(trx, row, { state: 'removed', now: clock() }))
}

type KeptContent = Pick<MaterialRow, 'kept' | 'kept_accompaniment'>

/** Keeps a granted material without its folder, and deletes any other. */
async function removeMaterial(
  library: OpenLibrary,
  folder: LibraryFolder,
  row: MaterialRow,
): Promise<'removed' | 'kept' | 'lost'> {
  const kept = (await isGranted(library.db, row.id)) ? await keepCopies(library, folder, row) : undefined
  failpoint('library.remove.copied')
  const isDeleted = await library.db.transaction().execute(async (trx) => {
    await lockMaterial(trx, row.id)
    if (!kept && !(await isGranted(trx, row.id))) {
      await deleteMaterial(trx, row.id)
      return true
    }
    // Granted meanwhile: copied in the next turn.
    if (!kept) return undefined
    for (const hash of keptHashes(kept)) await requireContent(trx, library.files, hash)
    await trx.deleteFrom('material_vectors').where('material_id', '=', row.id).execute()
    await trx
      .updateTable('materials')
      .set({ ...kept, folder_id: null })
      .where('id', '=', row.id)
      .execute()
    return false
  })
  if (isDeleted === undefined) return await removeMaterial(library, folder, row)
  if (isDeleted) {
    for (const blake3 of [row.cover, row.preview, row.thumb])
      if (blake3 !== null) await removeUnreferencedContent(library, blake3)
    return 'removed'
  }
  return kept?.kept === null ? 'lost' : 'kept'
}

/** Waits for grants of a material that are being recorded, and lets others wait. SQLite has one writer at a time. */
async function lockMaterial(trx: WriteTransaction, id: number): Promise<void> {
  if (!isPostgres(trx)) return
  await trx.selectFrom('materials').select('id').where('id', '=', id).forUpdate().execute()
}

function keptHashes({ kept, kept_accompaniment: accompaniment }: KeptContent): string[] {
  return [kept, accompaniment].filter((hash) => hash !== null).toSorted()
}

/**
 * Takes the file from a material in the transaction that records another content for its path. What searches returned of it
 * stays with those who received it, without the original, which no longer exists.
 */
export async function releaseMaterial(trx: WriteTransaction, row: MaterialRow, now: number): Promise<void> {
  // First of all, so that it is not granted from now on.
  await moveMaterial(trx, row, { state: 'removed', now })
  await lockMaterial(trx, row.id)
  if (!(await isGranted(trx, row.id))) return await deleteMaterial(trx, row.id)
  await trx.deleteFrom('material_vectors').where('material_id', '=', row.id).execute()
  await trx.updateTable('materials').set({ folder_id: null }).where('id', '=', row.id).execute()
}

async function isGranted(db: Db | WriteTransaction, id: number): Promise<boolean> {
  const grant = await db
    .selectFrom('material_grants')
    .select('material_id')
    .where('material_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return grant !== undefined
}

/** Copies the original and its accompaniment into the file store; null for a file that no longer exists or is another. */
async function keepCopies(
  library: OpenLibrary,
  folder: LibraryFolder,
  row: MaterialRow,
): Promise<KeptContent> {
  // Its hash decides whether it is the same, whatever its modification time is.
  const kept = await copyIntoStore(library, row.path, () => openFolderFile(folder.path, row.path))
  if (kept !== null && kept !== row.blake3) {
    await removeUnreferencedContent(library, kept)
    return { kept: null, kept_accompaniment: null }
  }
  const second = accompanimentFile(row)
  if (!second) return { kept, kept_accompaniment: null }
  const copied = await copyIntoStore(library, second.path, () => openUnchanged(folder, second))
  return { kept, kept_accompaniment: copied }
}

/** Opens an accompaniment, of which no hash is known; null if it was changed. */
async function openUnchanged(folder: LibraryFolder, file: MaterialFile): Promise<OpenMaterialFile | null> {
  return await openMaterialFile(folder.path, file).catch((error: unknown) => {
    if (error instanceof MediaError && error.code === 6036) return null
    throw error
  })
}

/** Returns the accompaniment of a material as it was imported; undefined without one. */
export function accompanimentFile({ path, accompaniment, sidecar }: MaterialRow) {
  const [size, modifiedAt] = (sidecar ?? '').split(' ').slice(2).map(Number)
  if (accompaniment === null || size === undefined || modifiedAt === undefined) return undefined
  return { path: join(dirname(path), accompaniment), size, modifiedAt }
}

/**
 * Copies a file of the operator into the store. A hard link would share the file's mode and later changes. Returns null for a
 * file that no longer exists. Throws 6016 for one that cannot be read now.
 */
async function copyIntoStore(
  library: OpenLibrary,
  path: string,
  open: () => Promise<OpenMaterialFile | null>,
): Promise<string | null> {
  const copy = join(library.work, 'kept')
  await rm(copy, { force: true })
  await using file = await open().catch((error: unknown) => {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw unreadable(`${path} cannot be read${code === undefined ? '' : ` (${code})`}`, error)
  })
  if (!file) return null
  await copyOpenFile(file, copy)
  return (await library.files.adopt(copy)).blake3
}
