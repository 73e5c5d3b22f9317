import { PostgresAdapter, sql } from 'kysely'
import type { LibraryScope } from '../contract/library.ts'
import type { Db, WriteTransaction } from '../db/schema.ts'
import { textTerms } from './terms.ts'

/** Texts of a material by their weight. */
export interface MaterialTexts {
  readonly scope: LibraryScope
  /** Title, author, tags and file name. */
  readonly strong: readonly string[]
  /** Description, and folders of the path. */
  readonly weak: readonly string[]
}

/** Terms that are indexed of each weight, at most. */
const maxTerms = 2000

/** Term of a scope. Terms of texts have no sign. */
export function scopeTerm(scope: LibraryScope): string {
  return `§${scope}`
}

/** Replaces the words of a material. */
export async function replaceWords(
  trx: WriteTransaction,
  id: number,
  { scope, strong, weak }: MaterialTexts,
): Promise<void> {
  await removeWords(trx, id)
  const [first, second] = [strong, weak].map((texts) => texts.flatMap(textTerms).slice(0, maxTerms))
  const columns = { strong: [...(first ?? []), scopeTerm(scope)].join(' '), weak: (second ?? []).join(' ') }
  if (isPostgres(trx)) {
    const terms = tsvector(columns.strong.split(' '), second ?? [])
    await sql`insert into material_words (rowid, strong, weak, terms)
      values (${id}, ${columns.strong}, ${columns.weak}, ${terms}::tsvector)`.execute(trx)
  } else {
    await sql`insert into material_words (rowid, strong, weak)
      values (${id}, ${columns.strong}, ${columns.weak})`.execute(trx)
  }
}

/** Removes the words of a material, which is then not found by them. */
export async function removeWords(trx: WriteTransaction, id: number): Promise<void> {
  await sql`delete from material_words where rowid = ${id}`.execute(trx)
}

/** Returns a text search vector: lexemes with a position, which their weight requires. */
function tsvector(strong: readonly string[], weak: readonly string[]): string {
  const lexemes = (terms: readonly string[], weight: string) =>
    [...new Set(terms)].map((term) => `'${term}':1${weight}`)
  return [...lexemes(strong, 'A'), ...lexemes(weak, 'C')].join(' ')
}

/** Whether a database is PostgreSQL, which differs in the full-text search, locks of rows and pgvector. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
