import type { Db, WriteTransaction } from '../db/schema.ts'

/** The account of the one user of an embedded service, and the name of its own key, which each start replaces. */
export const localAccount = { id: 1, name: 'local' } as const
export const embeddedKeyName = 'embedded'

/** Makes an account without credits; quiet when it is there. */
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

/** The account of that name; undefined when there is none. */
export async function findAccount(db: Db, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst()
  return row?.id
}

/** The account of that name, made without credits where there is none. */
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
    // Quiet where another process took the number or the name: then it is looked for again.
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
