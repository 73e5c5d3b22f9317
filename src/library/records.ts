import { basename, dirname } from 'node:path/posix'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { LibraryFoldersTable, LibraryNumbersTable, MaterialsTable } from '../db/library-schema.ts'
import type { Db, MaterialRow, WriteTransaction } from '../db/schema.ts'
import { addEmbeddings, removeEmbeddings } from './embeddings.ts'
import { isPostgres, removeWords, replaceWords } from './word-index.ts'

export type LibraryFolder = Selectable<LibraryFoldersTable>

/** Columns of a material that come from its file. */
export type MaterialContent = Omit<
  Insertable<MaterialsTable>,
  'id' | 'folder_id' | 'state' | 'added_at' | 'updated_at' | 'kept' | 'kept_accompaniment'
>

/** Vector of a picture of a material, or of a piece of its sound. */
export interface MaterialVector {
  readonly startMs: number
  readonly space: string
  readonly values: Float32Array
}

/** Returns the folder of a path, or records it; updates its licence and attribution. */
export async function saveFolder(
  db: Db,
  folder: Pick<LibraryFolder, 'path' | 'licence' | 'attribution'>,
  now: number,
): Promise<LibraryFolder> {
  const { path, licence, attribution } = folder
  return await db.transaction().execute(async (trx) => {
    const known = await findFolder(trx, path)
    if (known) {
      await trx
        .updateTable('library_folders')
        .set({ licence, attribution })
        .where('id', '=', known.id)
        .execute()
      return { ...known, licence, attribution }
    }
    const row = { ...folder, id: await nextNumber(trx, 'folder'), added_at: now }
    await trx.insertInto('library_folders').values(row).execute()
    return row
  })
}

export async function findFolder(db: Db, path: string): Promise<LibraryFolder | undefined> {
  return await db.selectFrom('library_folders').selectAll().where('path', '=', path).executeTakeFirst()
}

/** Records the present content of a file as a new material, or as that with the given id. Returns its id. */
export async function saveMaterial(
  trx: WriteTransaction,
  {
    id,
    folderId,
    content,
    now,
  }: {
    readonly id: number | undefined
    readonly folderId: number
    readonly content: MaterialContent
    readonly now: number
  },
): Promise<number> {
  const updated_at = await nextNumber(trx, 'change', now)
  const saved = id ?? (await nextNumber(trx, 'material'))
  const row = { ...content, state: 'active' as const, updated_at }
  if (id === undefined) {
    await trx
      .insertInto('materials')
      .values({ ...row, id: saved, folder_id: folderId, added_at: now })
      .execute()
  } else await trx.updateTable('materials').set(row).where('id', '=', id).execute()
  await indexWords(trx, { ...content, id: saved })
  return saved
}

/** Replaces the vectors of a material. */
export async function saveVectors(
  trx: WriteTransaction,
  id: number,
  vectors: readonly MaterialVector[],
): Promise<void> {
  await trx.deleteFrom('material_vectors').where('material_id', '=', id).execute()
  for (const [part, { startMs, space, values }] of vectors.entries()) {
    const vector = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
    await trx
      .insertInto('material_vectors')
      .values({ material_id: id, part, start_ms: startMs, space, vector })
      .execute()
  }
  await addEmbeddings(trx, [id])
}

/** Changes where a material is and whether it is found; its content stays. */
export async function moveMaterial(
  trx: WriteTransaction,
  row: MaterialRow,
  change: Partial<Pick<MaterialRow, 'path' | 'state' | 'modified_at'>> & { readonly now: number },
): Promise<void> {
  const { now, ...columns } = change
  const moved = { ...row, ...columns, name: basename(columns.path ?? row.path) }
  await trx
    .updateTable('materials')
    .set({ ...columns, name: moved.name, updated_at: await nextNumber(trx, 'change', now) })
    .where('id', '=', row.id)
    .execute()
  if (moved.state === 'active') {
    await indexWords(trx, moved)
    await addEmbeddings(trx, [row.id])
  } else {
    await removeWords(trx, row.id)
    await removeEmbeddings(trx, row.id)
  }
}

/** Deletes a material that nobody was granted, with its vectors and words. */
export async function deleteMaterial(trx: WriteTransaction, id: number): Promise<void> {
  await removeWords(trx, id)
  await trx.deleteFrom('materials').where('id', '=', id).execute()
}

/** Waits for other changes of the library, and lets others wait. SQLite has one writer at a time. */
export async function lockChanges(trx: WriteTransaction): Promise<void> {
  if (!isPostgres(trx)) return
  await trx.selectFrom('library_numbers').select('last').where('name', '=', 'change').forUpdate().execute()
}

type IndexedColumns = Pick<MaterialRow, 'id' | 'scope' | 'path' | 'note' | 'tags'> & {
  readonly title?: string | null | undefined
  readonly author?: string | null | undefined
}

async function indexWords(trx: WriteTransaction, material: IndexedColumns): Promise<void> {
  const { id, scope, path, note, tags, title, author } = material
  const name = basename(path).replace(/\.[^.]+$/, '')
  await replaceWords(trx, id, {
    scope,
    strong: [title ?? '', author ?? '', ...(JSON.parse(tags) as string[]), wordsOfName(name)],
    weak: [note, wordsOfName(dirname(path))],
  })
}

/** Separates the words of a file name: `cityNight-02` has the words city, night and 02. */
function wordsOfName(name: string): string {
  return name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[-_./+]+/g, ' ')
}

/** Returns a number that is higher than all before, and at least `least`, also after the rows with those were deleted. */
async function nextNumber(
  trx: WriteTransaction,
  name: LibraryNumbersTable['name'],
  least = 1,
): Promise<number> {
  const { last } = await trx
    .updateTable('library_numbers')
    .set({ last: sql`case when last < ${least} then ${least} else last + 1 end` })
    .where('name', '=', name)
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}
