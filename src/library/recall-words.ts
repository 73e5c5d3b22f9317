import { sql } from 'kysely'
import type { LibraryScope } from '../contract/library.ts'
import type { Db } from '../db/schema.ts'
import { isPostgres, scopeTerm } from './word-index.ts'

/** A material with any of the terms of a query. */
export interface WordMatch {
  readonly id: number
  /** Its terms by weight, in order, separated by spaces. */
  readonly strong: string
  readonly weak: string
}

/**
 * Returns materials of a scope with any of the terms, best first by the measure of the database. terms: at least one, as
 * `queryTerms` returns them.
 */
export async function recallByWords(
  db: Db,
  terms: readonly string[],
  { scope, limit }: { readonly scope: LibraryScope; readonly limit: number },
): Promise<WordMatch[]> {
  const query = matchExpression(db, terms, scope)
  const found = isPostgres(db)
    ? sql<WordMatch>`select rowid as id, strong, weak from material_words where terms @@ ${query}::tsquery
        order by ts_rank(${'{0.1, 0.2, 0.4, 1.0}'}::float4[], terms, ${query}::tsquery) desc, rowid limit ${limit}`
    : sql<WordMatch>`select rowid as id, strong, weak from material_words where material_words match ${query}
        order by bm25(material_words, 3.0, 1.0), rowid limit ${limit}`
  const { rows } = await found.execute(db)
  return rows
}

/** Counts the materials of a scope with a term, up to `limit`. */
export async function countMatches(
  db: Db,
  term: string,
  { scope, limit }: { readonly scope: LibraryScope; readonly limit: number },
): Promise<number> {
  const query = matchExpression(db, [term], scope)
  const matches = isPostgres(db)
    ? sql`select 1 from material_words where terms @@ ${query}::tsquery limit ${limit}`
    : sql`select 1 from material_words where material_words match ${query} limit ${limit}`
  const { rows } = await sql<{
    total: number
  }>`select count(*) as total from (${matches}) as matches`.execute(db)
  return rows[0]?.total ?? 0
}

/** Returns the condition of the database's full-text search. Terms have only letters and digits. */
function matchExpression(db: Db, terms: readonly string[], scope: LibraryScope): string {
  const [and, or, quote] = isPostgres(db) ? ['&', '|', "'"] : ['AND', 'OR', '"']
  const quoted = terms.map((term) => `${quote}${term}${quote}`)
  return `${quote}${scopeTerm(scope)}${quote} ${and} (${quoted.join(` ${or} `)})`
}
