import { MediaError } from '../contract/errors.ts'
import type { FoundMaterial, LibraryFindResult, LibraryQuery } from '../contract/library.ts'
import type { Db, MaterialRow } from '../db/schema.ts'
import type { MaterialIndex } from './material-index.ts'
import { cosineScore, foldDuplicates, fuseScores, weighTerms, wordCoverage, wordScore } from './rank.ts'
import { countMatches, recallByWords } from './recall-words.ts'
import { queryTerms } from './terms.ts'

/** Materials that words and vectors recall each, at most. */
const recallLimit = 300

/** Terms of a query that are searched, at most. */
const maxTerms = 32

/** Matches beyond which a term counts as frequent. */
const countLimit = 5000

/** Searches the library by words and by the vector of a text. See `findMaterials`. */
export async function findInIndex(
  db: Db,
  index: MaterialIndex,
  query: LibraryQuery,
): Promise<LibraryFindResult> {
  await index.refresh()
  if (index.size === 0) throw emptyLibrary()
  const byWords = await wordScores(db, index, query)
  const byContent = await contentScores(index, query, [...byWords.keys()])
  const scores = new Map<number, number>()
  for (const id of new Set([...byWords.keys(), ...byContent.keys()]))
    scores.set(id, fuseScores(byWords.get(id) ?? 0, byContent.get(id) ?? 0))
  const ordered = [...scores].toSorted(([id, score], [other, best]) => best - score || id - other)
  const wanted = query.diversity ? ordered : ordered.slice(0, query.limit)
  const rows = await readMaterials(
    db,
    query,
    wanted.map(([id]) => id),
  )
  const chosen = query.diversity ? foldDuplicates(rows, query.limit) : rows
  const space = index.space(query.scope)
  return {
    recalled: scores.size,
    ...(space !== undefined && { space }),
    results: chosen.map((row) => describeMaterial(row, scores.get(row.id) ?? 0)),
  }
}

/** Command that adds a folder. */
export const addCommand = '`reelwright library add <folder> --licence <text> --attribution <text>`'

function emptyLibrary(): MediaError {
  return new MediaError(6401, 'the library is empty', {
    retryable: false,
    hint: `Add licensed material: ${addCommand}`,
  })
}

async function wordScores(
  db: Db,
  index: MaterialIndex,
  { text, scope }: LibraryQuery,
): Promise<ReadonlyMap<number, number>> {
  const terms = [...new Set(queryTerms(text))].slice(0, maxTerms)
  if (terms.length === 0) return new Map()
  const matches = await recallByWords(db, terms, { scope, limit: recallLimit })
  const counts: { readonly term: string; readonly matches: number }[] = []
  for (const term of terms)
    counts.push({ term, matches: await countMatches(db, term, { scope, limit: countLimit }) })
  const weights = weighTerms(counts, index.size)
  return new Map(matches.map((match) => [match.id, wordScore(wordCoverage(weights, match), scope)]))
}

/** Scores of the nearest pictures or sounds, and of those of the given materials. Throws 6401 for a vector of another space. */
async function contentScores(
  index: MaterialIndex,
  { vector, scope }: LibraryQuery,
  others: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const space = index.space(scope)
  if (!vector || space === undefined) return new Map()
  if (vector.space !== space) throw otherSpace(space, vector.space)
  const exact = await index.nearest(vector.values, { scope, others })
  return new Map([...exact].map(([id, cosine]) => [id, cosineScore(cosine, scope, space)]))
}

function otherSpace(library: string, query: string): MediaError {
  return new MediaError(6401, `the library has vectors of ${library}, and the query one of ${query}`, {
    retryable: false,
    hint:
      `Use the model of ${library}. To use that of ${query}, remove every folder with ` +
      '`reelwright library remove <folder>`, then add them again.',
  })
}

type FoundRow = MaterialRow & { readonly licence: string; readonly attribution: string }

/** Reads materials that are still found, in the given order. */
async function readMaterials(db: Db, { scope }: LibraryQuery, ids: readonly number[]): Promise<FoundRow[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('materials')
    .innerJoin('library_folders', 'library_folders.id', 'materials.folder_id')
    .selectAll('materials')
    .select(['licence', 'attribution'])
    .where('materials.id', 'in', [...ids])
    .where('state', '=', 'active')
    .where('scope', '=', scope)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function describeMaterial(row: FoundRow, score: number): FoundMaterial {
  const { width, height, fps, duration_ms: durationMs, title, author, audio_type: audioType } = row
  return {
    ...{ id: row.id, name: row.name },
    score: Math.min(1, Math.round(1e6 * score) / 1e6),
    note: describeRights(row),
    tags: JSON.parse(row.tags) as string[],
    ...(width !== null && height !== null && { width, height }),
    ...(fps !== null && { fps }),
    ...(durationMs !== null && { duration: durationMs / 1000 }),
    ...(row.scope === 'audio' && { title: title ?? row.name }),
    ...(row.scope === 'audio' && author !== null && { author }),
    ...(audioType !== null && { audioType, hasAccompaniment: row.accompaniment !== null }),
  }
}

/** Returns licence and attribution, then the remarks in a line of their own, which a sidecar cannot break. */
function describeRights({ note, title, scope, licence, attribution }: FoundRow): string {
  const remarks = [scope === 'audio' ? '' : (title ?? ''), note].filter(Boolean).join(': ')
  return [`Licence: ${licence}. Attribution: ${attribution}.`, remarks].filter(Boolean).join('\n')
}
