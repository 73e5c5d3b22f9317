import type { AccountType } from '../contract/account.ts'
import type { Db, WriteTransaction } from '../db/schema.ts'

/** The single account of an embedded service. */
export const localAccount = { id: 1, name: 'local' } as const
/** Name of the key that an embedded service replaces at each start. */
export const embeddedKeyName = 'embedded'

/** Creates an account without credits. Does nothing when the id exists. */
export async function ensureAccount(
  db: Db,
  account: { id: number; name: string; now: number },
): Promise<void> {
  await db
    .insertInto('accounts')
    .values({ id: account.id, name: account.name, balance: 0, event_seq: 0, created_at: account.now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Id of the account with this name; undefined when there is none. */
export async function findAccount(db: Db, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst()
  return row?.id
}

/** Id of the account with this name. Creates one without credits when there is none. */
export async function findOrCreateAccount(
  trx: WriteTransaction,
  { name, now }: { name: string; now: number },
): Promise<number> {
  if (name === localAccount.name) await ensureAccount(trx, { ...localAccount, now })
  for (;;) {
    const found = await findAccount(trx, name)
    if (found !== undefined) return found
    const { last } = await trx
      .selectFrom('accounts')
      .select((eb) => eb.fn.max('id').as('last'))
      .executeTakeFirstOrThrow()
    // Another process may have taken the id or the name meanwhile: the loop looks it up again.
    await trx
      .insertInto('accounts')
      .values({
        id: Math.max(last ?? 0, localAccount.id) + 1,
        name,
        balance: 0,
        event_seq: 0,
        created_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Sets the type of the account with this name. Returns false when there is none. */
export async function setAccountType(
  db: Db,
  { name, type }: { readonly name: string; readonly type: AccountType },
): Promise<boolean> {
  const row = await db
    .updateTable('accounts')
    .set({ type })
    .where('name', '=', name)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Type of an account. */
export async function accountType(db: Db, id: number): Promise<AccountType> {
  const { type } = await db
    .selectFrom('accounts')
    .select('type')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return type
}
