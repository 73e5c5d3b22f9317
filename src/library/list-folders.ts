import type { LibraryScope } from '../contract/library.ts'
import type { Db } from '../db/schema.ts'
import type { LibraryFolder } from './records.ts'

/** A folder of the library with its numbers of materials. */
interface ListedFolder extends LibraryFolder {
  /** Materials that can be found, by scope, and those whose file is missing. */
  readonly counts: Readonly<Record<LibraryScope | 'missing', number>>
}

/** Lists the folders of the library by path. */
export async function listLibraryFolders(db: Db): Promise<ListedFolder[]> {
  const folders = await db.selectFrom('library_folders').selectAll().orderBy('path').execute()
  const counted = await db
    .selectFrom('materials')
    .select(['folder_id', 'scope', 'state', (eb) => eb.fn.countAll<number>().as('total')])
    .where('folder_id', 'is not', null)
    .where('state', '!=', 'removed')
    .groupBy(['folder_id', 'scope', 'state'])
    .execute()
  return folders.map((folder) => {
    const counts = { clip: 0, image: 0, audio: 0, missing: 0 }
    for (const { folder_id: id, scope, state, total } of counted)
      if (id === folder.id) counts[state === 'active' ? scope : 'missing'] += total
    return { ...folder, counts }
  })
}
