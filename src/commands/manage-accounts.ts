import {
  embeddedKeyName,
  findAccount,
  findOrCreateAccount,
  localAccount,
  setAccountType,
} from '../accounts/accounts.ts'
import { insertKey, listKeys, revokeKey } from '../accounts/keys.ts'
import { accountBalance, grantCredits } from '../accounts/ledger.ts'
import type { Config } from '../config/config.ts'
import type { AccountType } from '../contract/account.ts'
import { describeCredits } from '../contract/credits.ts'
import { MediaError } from '../contract/errors.ts'
import { newKey } from '../platform/hosting.ts'
import { formatColumns } from '../platform/text-formats.ts'
import type { CommandIo } from './command.ts'
import { openServiceDatabase } from './service-database.ts'

// Changes apply at once to a running service, which reads accounts and keys from the database for each request.

/** Settings and streams of a command that manages accounts. */
export interface AccountContext {
  readonly config: Config
  readonly io: CommandIo
}

interface CreateKeyOptions {
  readonly name: string
  readonly account?: string | undefined
  /** Credits that its tasks may cost in total. */
  readonly quota?: number | undefined
  /** Days until it expires. */
  readonly days?: number | undefined
}

const dayMs = 24 * 3600 * 1000

/** Creates a key, and its account if it is new, and prints the key once. */
export async function createKey(
  { config, io }: AccountContext,
  { name, account = localAccount.name, quota, days }: CreateKeyOptions,
): Promise<void> {
  checkName('key', name)
  checkName('account', account)
  if (account === localAccount.name && name === embeddedKeyName) {
    throw new MediaError(6016, `the key ${name} of the account ${account} is the service's own`, {
      hint: 'Choose another name.',
    })
  }
  const [raw, now] = [newKey(), Date.now()]
  const expireAt = days === undefined ? undefined : now + days * dayMs
  await using opened = await openServiceDatabase(config)
  const id = await opened.db.transaction().execute(async (trx) => {
    const accountId = await findOrCreateAccount(trx, { name: account, now })
    return await insertKey(trx, { accountId, name, raw, quota, expireAt, now })
  })
  io.stderr.write(`key ${id} of the account ${account}; it is shown only once:\n`)
  io.stdout.write(`${raw}\n`)
}

/** Lists all keys, without the keys themselves. */
export async function printKeys({ config, io }: AccountContext): Promise<void> {
  await using opened = await openServiceDatabase(config)
  const time = (ms: number | null): string => (ms === null ? '-' : new Date(ms).toISOString())
  const rows = (await listKeys(opened.db)).map((key) => [
    key.id,
    key.name,
    key.account,
    time(key.createdAt),
    String(key.quota ?? '-'),
    String(key.spent),
    time(key.expireAt),
    time(key.revokedAt),
  ])
  const heading = ['id', 'name', 'account', 'created', 'quota', 'spent', 'expires', 'revoked']
  io.stdout.write(formatColumns([heading, ...rows]))
}

/** Revokes a key; tasks it has created continue. */
export async function revokeKeyById({ config, io }: AccountContext, id: string): Promise<void> {
  await using opened = await openServiceDatabase(config)
  if (!(await revokeKey(opened.db, id, Date.now()))) {
    throw new MediaError(6016, `there is no key ${JSON.stringify(id)}`, {
      hint: 'Use an id from `reelwright keys list`.',
    })
  }
  io.stdout.write(`key ${id} is revoked\n`)
}

/** Adds credits to an account and prints its balance. */
export async function grantAccountCredits(
  { config, io }: AccountContext,
  { account, amount }: { account: string; amount: number },
): Promise<void> {
  await using opened = await openServiceDatabase(config)
  const accountId = await findAccount(opened.db, account)
  if (accountId === undefined) throw unknownAccountError(account)
  await grantCredits(opened.db, { accountId, amount, now: Date.now() })
  const balance = await accountBalance(opened.db, accountId)
  io.stdout.write(`the account ${account} has ${describeCredits(balance)}\n`)
}

/** Sets the type of an account. */
export async function changeAccountType(
  { config, io }: AccountContext,
  { account, type }: { readonly account: string; readonly type: AccountType },
): Promise<void> {
  await using opened = await openServiceDatabase(config)
  if (!(await setAccountType(opened.db, { name: account, type }))) throw unknownAccountError(account)
  io.stdout.write(`the account ${account} is ${type}\n`)
}

function unknownAccountError(account: string): MediaError {
  return new MediaError(6016, `there is no account ${JSON.stringify(account)}`, {
    hint: 'Create it with its first key: reelwright keys create --account <name> --name <name>.',
  })
}

/** Names are printed in a table on a terminal, so control characters are rejected. */
function checkName(kind: string, name: string): void {
  if (/^\P{C}{1,64}$/u.test(name) && name.trim() === name) return
  throw new MediaError(6016, `the name of the ${kind} must be 1 to 64 visible characters`, {
    hint: 'Choose another name.',
  })
}
