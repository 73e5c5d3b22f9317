import { PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely'
import type { DatabaseSchema, WriteTransaction } from './schema.ts'

/**
 * Locks an account's row until the transaction ends. Call it first in every transaction that reads data which a
 * concurrent one of the same account may change.
 */
export async function lockAccount(trx: WriteTransaction, accountId: number): Promise<void> {
  // An update, because SQLite has no `for update`.
  await trx
    .updateTable('accounts')
    .set((eb) => ({ balance: eb.ref('balance') }))
    .where('id', '=', accountId)
    .execute()
}

/**
 * Locks a BLAKE3 hash until the transaction ends, even when no row has it. Lock the account first, and several
 * hashes in ascending order.
 */
export async function lockBlake3(trx: WriteTransaction, blake3: string): Promise<void> {
  // In SQLite only one transaction writes at a time.
  if (!(trx.getExecutor().adapter instanceof PostgresAdapter)) return
  const key = BigInt.asIntN(64, BigInt(`0x${blake3.slice(0, 16)}`))
  await sql`select pg_advisory_xact_lock(${key.toString()}::bigint)`.execute(trx)
}

/** One page of rows and the total number of rows. */
interface RowPage<Row> {
  readonly list: Row[]
  /** Rows on all pages. */
  readonly total: number
  readonly page: number
  readonly page_size: number
}

/** Reads one page of rows, newest (highest `id`) first. */
export async function readPage<Table extends keyof DatabaseSchema, Row>(
  rows: SelectQueryBuilder<DatabaseSchema, Table, Row>,
  { page, page_size }: { readonly page: number; readonly page_size: number },
): Promise<RowPage<Row>> {
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
