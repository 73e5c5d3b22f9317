import { readdir } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import type { Db, MaterialRow } from '../db/schema.ts'
import { errorCode } from '../platform/system-error.ts'
import { openMaterialFile } from './material-file.ts'
import { lockChanges, moveMaterial } from './records.ts'

/**
 * State of the original of a material. `gone`: moved, deleted or changed since its import, and no copy is kept.
 * `unreadable`: not to be had now, such as on a disk that is not mounted.
 */
type OriginalState = 'present' | 'gone' | 'unreadable'

/** Error codes for a path that leads to no file, or through a link. */
const absentCodes: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP']

/** Examines the original of a material. A gone one is marked, so that searches no longer find it. */
export async function examineOriginal(db: Db, row: MaterialRow): Promise<OriginalState> {
  const state = await originalState(db, row)
  if (state === 'gone' && row.state === 'active') await markGone(db, row)
  return state
}

async function originalState(db: Db, row: MaterialRow): Promise<OriginalState> {
  const { kept, folder_id: id, path, size, modified_at: modifiedAt } = row
  if (kept !== null) return 'present'
  if (id === null) return 'gone'
  const folder = await db.selectFrom('library_folders').select('path').where('id', '=', id).executeTakeFirst()
  // It was removed since the row was read.
  if (!folder) return 'unreadable'
  try {
    await using _ = await openMaterialFile(folder.path, { path, size, modifiedAt })
    return 'present'
  } catch (error) {
    if (error instanceof MediaError) return 'gone'
    const isAbsent = absentCodes.includes(errorCode(error))
    return isAbsent && (await hasEntries(folder.path)) ? 'gone' : 'unreadable'
  }
}

/** A folder without its disk is empty, or does not exist. */
async function hasEntries(path: string): Promise<boolean> {
  return await readdir(path).then(
    (names) => names.length > 0,
    () => false,
  )
}

/** Marks a material as missing, unless it was changed since it was read. The next import of its folder restores it. */
async function markGone(db: Db, { id, updated_at: readAt }: MaterialRow): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockChanges(trx)
    const row = await trx.selectFrom('materials').selectAll().where('id', '=', id).executeTakeFirst()
    if (row?.state === 'active' && row.updated_at === readAt)
      await moveMaterial(trx, row, { state: 'missing', now: readAt })
  })
}
