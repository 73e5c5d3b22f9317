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
