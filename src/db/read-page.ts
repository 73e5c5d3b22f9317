import { sql, type SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema.ts'

/** One page of rows, and of how many. */
interface Page<Row> {
  readonly list: Row[]
  /** Rows on all pages. */
  readonly total: number
  readonly page: number
  readonly page_size: number
}

/** Reads a page of a table's rows, those of the highest `id`, the newest, first. */
export async function readPage<Table extends keyof Schema, Row>(
  rows: SelectQueryBuilder<Schema, Table, Row>,
  { page, page_size }: { readonly page: number; readonly page_size: number },
): Promise<Page<Row>> {
  const { total } = await rows
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const list = await rows
    .orderBy(sql.ref('id'), 'desc')
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute()
  return { list, total, page, page_size }
}
