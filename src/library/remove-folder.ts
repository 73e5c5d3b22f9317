import { constants } from 'node:fs'
import { copyFile, realpath, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { Db, MaterialRow, WriteTransaction } from '../db/schema.ts'
import { removeUnreferencedContent, requireContent } from '../files/content.ts'
import { failpoint } from '../platform/failpoint.ts'
import { checkMaterialFile, type MaterialFile } from './material-file.ts'
import type { OpenLibrary } from './open-library.ts'
import { deleteMaterial, findFolder, type LibraryFolder, moveMaterial } from './records.ts'

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
 * original is kept. An interrupted removal continues when it is repeated. Throws 6016 for a folder that is not in the library.
 */
export async function removeFolder(
  library: OpenLibrary,
  given: string,
  clock: () => number,
): Promise<RemoveSummary> {
  const folder = await locateFolder(library.db, given)
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

function keptHashes({ kept, kept_accompaniment: accompaniment }: KeptContent): string[] {
  return [kept, accompaniment].filter((hash) => hash !== null).toSorted()
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

/** Copies the original and its accompaniment into the file store; null for a file that is no longer the same. */
async function keepCopies(
  library: OpenLibrary,
  folder: LibraryFolder,
  row: MaterialRow,
): Promise<KeptContent> {
  const original = { path: row.path, size: row.size, modifiedAt: row.modified_at }
  const kept = await copyIntoStore(library, folder, original)
  if (kept !== null && kept !== row.blake3) {
    await removeUnreferencedContent(library, kept)
    return { kept: null, kept_accompaniment: null }
  }
  const second = accompanimentFile(row)
  return { kept, kept_accompaniment: second ? await copyIntoStore(library, folder, second) : null }
}

/** Returns the accompaniment of a material as it was imported; undefined without one. */
export function accompanimentFile({ path, accompaniment, sidecar }: MaterialRow) {
  const [size, modifiedAt] = (sidecar ?? '').split(' ').slice(2).map(Number)
  if (accompaniment === null || size === undefined || modifiedAt === undefined) return undefined
  return { path: join(dirname(path), accompaniment), size, modifiedAt }
}

/**
 * Copies a file of the operator into the store, without its bytes where the file system clones files. A hard link would
 * share the file's mode and later changes.
 */
async function copyIntoStore(
  library: OpenLibrary,
  folder: LibraryFolder,
  file: MaterialFile,
): Promise<string | null> {
  const copy = join(library.work, 'kept')
  await rm(copy, { force: true })
  try {
    await checkMaterialFile(folder.path, file)
    await copyFile(join(folder.path, file.path), copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  return (await library.files.adopt(copy)).blake3
}

function isMissing(error: unknown): boolean {
  if (error instanceof MediaError) return error.code === 6036
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'EPERM'].includes(code)
}
