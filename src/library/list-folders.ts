import type { LibraryScope } from '../contract/library.ts'
import type { Db } from '../db/schema.ts'
import type { LibraryFolder } from './records.ts'

/** A folder of the library with its numbers of materials. */
export interface ListedFolder extends LibraryFolder {
  /** Materials that can be found, by scope, and those whose file is missing. */
  readonly counts: Readonly<Record<LibraryScope | 'missing', number>>
  /** Materials that can be found, but by their words alone. */
  readonly withoutVector: Readonly<Record<LibraryScope, number>>
}

/** Lists the folders of the library by path. */
export async function listLibraryFolders(db: Db): Promise<ListedFolder[]> {
  const folders = await db.selectFrom('library_folders').selectAll().orderBy('path').execute()
  const materials = db.selectFrom('materials').where('folder_id', 'is not', null)
  const counted = await materials
    .select(['folder_id', 'scope', 'state', (eb) => eb.fn.countAll<number>().as('total')])
    .where('state', '!=', 'removed')
    .groupBy(['folder_id', 'scope', 'state'])
    .execute()
  const vectors = db.selectFrom('material_vectors').select('material_id')
  const unembedded = await materials
    .select(['folder_id', 'scope', (eb) => eb.fn.countAll<number>().as('total')])
    .where('state', '=', 'active')
    .where('id', 'not in', vectors)
    .groupBy(['folder_id', 'scope'])
    .execute()
  return folders.map((folder) => {
    const counts = { clip: 0, image: 0, audio: 0, missing: 0 }
    const withoutVector = { clip: 0, image: 0, audio: 0 }
    for (const { folder_id: id, scope, state, total } of counted)
      if (id === folder.id) counts[state === 'active' ? scope : 'missing'] += total
    for (const { folder_id: id, scope, total } of unembedded)
      if (id === folder.id) withoutVector[scope] = total
    return { ...folder, counts, withoutVector }
  })
}

/** Returns the space of the vectors of one of the scopes; undefined without any. */
export async function findVectorSpace(db: Db, scopes: readonly LibraryScope[]): Promise<string | undefined> {
  const row = await db
    .selectFrom('material_vectors')
    .innerJoin('materials', 'materials.id', 'material_vectors.material_id')
    .select('space')
    .where('scope', 'in', scopes)
    .limit(1)
    .executeTakeFirst()
  return row?.space
}
