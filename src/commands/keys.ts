import { join } from 'node:path'
import { embeddedKeyName, findAccount, localAccount, findOrCreateAccount } from '../accounts/accounts.ts'
import { insertKey, listKeys, revokeKey } from '../accounts/keys.ts'
import { accountBalance, grantCredits } from '../accounts/ledger.ts'
import type { Config } from '../config/config.ts'
import { describeCredits } from '../contract/credits.ts'
import { MediaError } from '../contract/errors.ts'
import { prepareDataFolder } from '../daemon/data-folder.ts'
import { dataFiles } from '../daemon/data-files.ts'
import { lockDataFolder } from '../daemon/lock.ts'
import { lockDatabase } from '../db/database-lock.ts'
import { openCurrentDatabase, openDatabase } from '../db/open.ts'
import type { Db } from '../db/schema.ts'
import { CleanupStack } from '../platform/cleanup-stack.ts'
import { newKey } from '../platform/hosting.ts'

// What these commands change counts at once in a service that runs: it asks the database each time.

interface NewKey {
  readonly name: string
  readonly account?: string | undefined
  /** Credits its tasks may cost in all. */
  readonly quota?: number | undefined
  /** After which it ends by itself. */
  readonly days?: number | undefined
}

const dayMs = 24 * 3600 * 1000

/** Makes a key and tells it, this once; makes the account too where there is none of that name. */
export async function createKey(
  config: Config,
  { name, account = localAccount.name, quota, days }: NewKey,
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
  await using opened = await openBeside(config)
  const id = await opened.db.transaction().execute(async (trx) => {
    const accountId = await findOrCreateAccount(trx, { name: account, now })
    return await insertKey(trx, { accountId, name, raw, quota, expireAt, now })
  })
  process.stderr.write(`key ${id} of the account ${account}; it is shown this once:\n`)
  process.stdout.write(`${raw}\n`)
}

/** Tells all keys, but never a key itself. */
export async function tellKeys(config: Config): Promise<void> {
  await using opened = await openBeside(config)
  const moment = (ms: number | null): string => (ms === null ? '-' : new Date(ms).toISOString())
  const rows = (await listKeys(opened.db)).map((key) => [
    key.id,
    key.name,
    key.account,
    moment(key.createdAt),
    String(key.quota ?? '-'),
    String(key.spent),
    moment(key.expireAt),
    moment(key.revokedAt),
  ])
  const table = [['id', 'name', 'account', 'created', 'quota', 'spent', 'expires', 'revoked'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  process.stdout.write(lines.map((line) => `${line.trimEnd()}\n`).join(''))
}

/** Makes a key invalid from now on; what it began goes on. */
export async function endKey(config: Config, id: string): Promise<void> {
  await using opened = await openBeside(config)
  if (!(await revokeKey(opened.db, id, Date.now()))) {
    throw new MediaError(6016, `there is no key ${JSON.stringify(id)}`, {
      hint: 'Take the id from `reelwright keys list`.',
    })
  }
  process.stdout.write(`key ${id} is revoked\n`)
}

/** Gives credits to an account and tells its balance. */
export async function grantCredits(
  config: Config,
  { account, amount }: { account: string; amount: number },
): Promise<void> {
  await using opened = await openBeside(config)
  const accountId = await findAccount(opened.db, account)
  if (accountId === undefined) {
    throw new MediaError(6016, `there is no account ${JSON.stringify(account)}`, {
      hint: 'Make it with its first key: reelwright keys create --account <name> --name <name>.',
    })
  }
  await grantCredits(opened.db, { accountId, amount, now: Date.now() })
  const balance = await accountBalance(opened.db, accountId)
  process.stdout.write(`the account ${account} has ${describeCredits(balance)}\n`)
}

/** Names are shown in a table on a terminal. */
function checkName(what: string, name: string): void {
  if (/^\P{C}{1,64}$/u.test(name) && name.trim() === name) return
  throw new MediaError(6016, `the name of the ${what} must be 1 to 64 visible characters`, {
    hint: 'Choose another name.',
  })
}

/** Opens the database beside a service that may be running on it. */
async function openBeside({ dataDir, databaseUrl }: Config): Promise<AsyncDisposable & { readonly db: Db }> {
  if (databaseUrl === undefined) await prepareDataFolder(dataDir)
  const place = databaseUrl === undefined ? { path: join(dataDir, dataFiles.database) } : { url: databaseUrl }
  const current = await openCurrentDatabase(place)
  if (current) return disposable(current)
  // Its tables may change under no service that uses them as they are.
  using folder = 'path' in place ? lockDataFolder(dataDir) : null
  if ('path' in place && !folder) {
    throw new MediaError(6401, `a service of another version runs on ${dataDir}`, {
      retryable: false,
      hint: 'End it, or start it again with this version, then repeat the command.',
    })
  }
  await using holds = new CleanupStack()
  holds.use(await lockDatabase(place))
  return disposable(await openDatabase(place))
}

function disposable(db: Db): AsyncDisposable & { readonly db: Db } {
  return { db, [Symbol.asyncDispose]: () => db.destroy() }
}
