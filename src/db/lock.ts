import { PostgresAdapter, sql } from 'kysely'
import type { Write } from './schema.ts'

/**
 * Locks an account's row until the transaction ends. The first statement of a writing transaction
 * that reads what another of the same account may be changing.
 */
export async function lockAccount(trx: Write, accountId: number): Promise<void> {
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
export async function lockName(trx: Write, blake3: string): Promise<void> {
  // SQLite lets one transaction write at a time.
  if (!(trx.getExecutor().adapter instanceof PostgresAdapter)) return
  const key = BigInt.asIntN(64, BigInt(`0x${blake3.slice(0, 16)}`))
  await sql`select pg_advisory_xact_lock(${key.toString()}::bigint)`.execute(trx)
}
