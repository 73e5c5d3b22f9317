import { basename } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { Db, MaterialRow } from '../db/schema.ts'
import type { FileStorage } from '../files/content.ts'
import type { ByteRange } from '../files/store.ts'
import { examineOriginal } from './gone-originals.ts'
import { type MaterialFile, openMaterialFile } from './material-file.ts'
import { accompanimentFile } from './remove-folder.ts'

/** A file of a material, to be sent. */
export interface OriginalFile {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Modification time when it was imported, ms. */
  readonly modifiedAt: number
  /** Streams the file or a range of it. Throws 6004 if it was changed meanwhile. Call it at most once. */
  read(range?: ByteRange): Promise<NodeJS.ReadableStream>
}

/** Returns a material by its id, whatever its state is. Throws 6004 if there is none. */
export async function findMaterial(db: Db, id: number): Promise<MaterialRow> {
  const row = await db.selectFrom('materials').selectAll().where('id', '=', id).executeTakeFirst()
  if (row) return row
  throw new MediaError(6004, `there is no material ${id}`, { hint: 'Search the library again.' })
}

/**
 * Opens the original of a material, or its accompaniment: the operator's file if it is the imported one, or the copy that
 * is kept. The caller checks the grant. Throws 6004 if the file was moved, deleted or changed.
 */
export async function openOriginal(
  { db, files }: FileStorage,
  id: number,
  which: 'original' | 'accompaniment',
): Promise<OriginalFile> {
  const row = await findMaterial(db, id)
  const isOriginal = which === 'original'
  const kept = isOriginal ? row.kept : row.kept_accompaniment
  const file = isOriginal
    ? { path: row.path, size: row.size, modifiedAt: row.modified_at }
    : accompanimentFile(row)
  if (!file) throw new MediaError(6004, `the material ${id} has no accompaniment`)
  const own = { name: basename(file.path), size: file.size, modifiedAt: file.modifiedAt }
  if (kept !== null) return { ...own, read: (range) => files.read(kept, range) }
  const folder = await folderPath(db, row)
  const read = async (range?: ByteRange) => {
    try {
      return await readOriginal(folder, file, range)
    } catch (error) {
      if (isOriginal) await examineOriginal(db, row)
      throw goneError(own.name, error)
    }
  }
  return { ...own, read }
}

async function folderPath(db: Db, { id, folder_id: folderId }: MaterialRow): Promise<string> {
  const folder =
    folderId === null
      ? undefined
      : await db.selectFrom('library_folders').select('path').where('id', '=', folderId).executeTakeFirst()
  if (folder) return folder.path
  throw gone(`the file of the material ${id} no longer exists, and its folder was removed from the library`)
}

async function readOriginal(
  folder: string,
  file: MaterialFile,
  range: ByteRange | undefined,
): Promise<NodeJS.ReadableStream> {
  const { handle } = await openMaterialFile(folder, file)
  // Closes the file when it ends. Bytes that are appended meanwhile would exceed the length that was announced.
  return handle.createReadStream({ start: 0, end: file.size - 1, ...range })
}

/** Error for a file that is no longer the one that was imported. */
export function goneError(name: string, cause?: unknown): MediaError {
  return gone(`${name} was moved, deleted or changed`, cause)
}

function gone(message: string, cause?: unknown): MediaError {
  return new MediaError(6004, message, {
    cause,
    hint: 'Search the library again, or ask its operator to add the folder again.',
  })
}
