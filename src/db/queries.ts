import { PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely'
import type { DatabaseSchema, WriteTransaction } from './schema.ts'

/**
 * Locks an account's row until the transaction ends. The first statement of a writing transaction
 * that reads what another of the same account may be changing.
 */
export async function lockAccount(trx: WriteTransaction, accountId: number): Promise<void> {
  // An update, as SQLite knows no `for update`.
  await trx
    .updateTable('accounts')
    .set((eb) => ({ balance: eb.ref('balance') }))
    .where('id', '=', accountId)
    .execute()
}

/**
 * Locks a BLAKE3 until the transaction ends, whether or not a row has it. After the account's lock;
 * of several in one transaction in ascending order.
 */
export async function lockBlake3(trx: WriteTransaction, blake3: string): Promise<void> {
  // SQLite lets one transaction write at a time.
  if (!(trx.getExecutor().adapter instanceof PostgresAdapter)) return
  const key = BigInt.asIntN(64, BigInt(`0x${blake3.slice(0, 16)}`))
  await sql`select pg_advisory_xact_lock(${key.toString()}::bigint)`.execute(trx)
}

/** One page of rows, and of how many. */
interface RowPage<Row> {
  readonly list: Row[]
  /** Rows on all pages. */
  readonly total: number
  readonly page: number
  readonly page_size: number
}

/** Reads a page of a table's rows, those of the highest `id`, the newest, first. */
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
