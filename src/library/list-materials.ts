import type { ListedMaterial, MaterialList, MaterialListQuery } from '../contract/library-routes.ts'
import { libraryScopes, type LibraryScope } from '../contract/library.ts'
import { readPage } from '../db/queries.ts'
import type { Db, MaterialRow } from '../db/schema.ts'
import { type LinkSigner, openLinkSigner } from '../files/links.ts'
import { createPreviewLinks } from './links.ts'
import { recallByWords } from './recall-words.ts'
import { queryTerms } from './terms.ts'

/** Most materials of each scope that words find in the list. */
const maxFound = 500

/**
 * Lists the materials of the library: newest first, or best first where words are given. Previews are linked; originals
 * are not, as only searches grant them.
 */
export async function listMaterials(db: Db, query: MaterialListQuery): Promise<MaterialList> {
  const { scope, words = '', page, page_size } = query
  const terms = queryTerms(words)
  const found = terms.length > 0 ? await findByWords(db, terms, scope) : undefined
  const rows = db
    .selectFrom('materials')
    .selectAll()
    .where('state', '=', 'active')
    .$if(scope !== undefined, (all) => all.where('scope', '=', scope as LibraryScope))
  const listed = found
    ? {
        list: await readInOrder(db, found.slice((page - 1) * page_size, page * page_size)),
        ...{ total: found.length, page, page_size },
      }
    : await readPage(rows, { page, page_size })
  const [folders, sign] = await Promise.all([readFolders(db, listed.list), openLinkSigner(db)])
  return {
    ...listed,
    list: listed.list.map((row) => toListedMaterial(row, { folders, sign })),
  }
}

async function findByWords(
  db: Db,
  terms: readonly string[],
  scope: LibraryScope | undefined,
): Promise<number[]> {
  const scopes = scope === undefined ? libraryScopes : [scope]
  const found = await Promise.all(
    scopes.map((one) => recallByWords(db, terms, { scope: one, limit: maxFound })),
  )
  return found.flat().map(({ id }) => id)
}

async function readInOrder(db: Db, ids: readonly number[]): Promise<MaterialRow[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('materials')
    .selectAll()
    .where('id', 'in', ids)
    .where('state', '=', 'active')
    .execute()
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? [])
}

/** Licence and attribution of the folders of materials, by id. */
type Rights = ReadonlyMap<number, { readonly licence: string; readonly attribution: string }>

async function readFolders(db: Db, rows: readonly MaterialRow[]): Promise<Rights> {
  const ids = [...new Set(rows.flatMap(({ folder_id: id }) => id ?? []))]
  if (ids.length === 0) return new Map()
  const folders = await db.selectFrom('library_folders').selectAll().where('id', 'in', ids).execute()
  return new Map(folders.map((folder) => [folder.id, folder]))
}

function toListedMaterial(
  row: MaterialRow,
  { folders, sign }: { readonly folders: Rights; readonly sign: LinkSigner },
): ListedMaterial {
  const { licence, attribution } = folders.get(row.folder_id ?? 0) ?? { licence: '', attribution: '' }
  const { coverUrl, previewUrl, thumbUrl } = createPreviewLinks(sign, row)
  return {
    ...{ id: row.id, scope: row.scope, name: row.name, size: row.size, licence, attribution },
    tags: JSON.parse(row.tags) as string[],
    ...(row.title !== null && { title: row.title }),
    ...(row.author !== null && { author: row.author }),
    ...(row.width !== null && { width: row.width }),
    ...(row.height !== null && { height: row.height }),
    ...(row.duration_ms !== null && { duration: row.duration_ms / 1000 }),
    ...(coverUrl !== undefined && { cover_url: coverUrl }),
    ...(previewUrl !== undefined && { preview_url: previewUrl }),
    ...(thumbUrl !== undefined && { thumb_url: thumbUrl }),
  }
}
