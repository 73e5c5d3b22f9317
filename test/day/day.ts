import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findOrCreateAccount } from '../../src/accounts/accounts.ts'
import { insertKey } from '../../src/accounts/keys.ts'
import { grantCredits } from '../../src/accounts/ledger.ts'
import { openDatabase } from '../../src/db/open.ts'
import type { Db } from '../../src/db/schema.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { isContentReferenced } from '../../src/files/content.ts'
import { newKey } from '../../src/platform/hosting.ts'
import { checkInvariants } from '../service/invariants.ts'
import { DayClient } from './client.ts'
import { RestartingService } from './restarting-service.ts'

interface SimulateDayOptions {
  readonly dataDir: string
  readonly tasks: number
  readonly random: () => number
}

/** Figures of a day. */
export interface DayFigures {
  readonly states: Readonly<Record<string, number>>
  readonly restarts: number
  readonly disconnects: number
  readonly expired: number
  /** Time from creation to start of tasks that were not affected by a restart, ms. */
  readonly start: { readonly p50: number; readonly p95: number }
}

const clients = 4
const credits = 100_000

/**
 * Simulates a day of use: four clients with separate accounts and one task each at a time, while sockets
 * disconnect, files expire, and the service is stopped and killed. Throws if an invariant is violated at the end.
 */
export async function simulateDay({ dataDir, tasks, random }: SimulateDayOptions): Promise<DayFigures> {
  await mkdir(dataDir, { recursive: true })
  const path = join(dataDir, 'reelwright.sqlite')
  let [restarts, disconnects, done] = [0, 0, 0]
  const expired = new Set<string>()
  const keys = await withDatabase(path, openAccounts)
  const dayClients: DayClient[] = []
  {
    await using service = new RestartingService(dataDir)
    dayClients.push(...keys.map((apiKey) => new DayClient({ service, apiKey, random, expired })))
    const following = dayClients.map((client) => client.follow())

    const injectFaults = async (): Promise<void> => {
      done += 1
      if (random() < 30 / tasks) {
        disconnects += 1
        dayClients[Math.floor(random() * clients)]?.disconnect()
      }
      if (done % Math.ceil(tasks / 6) !== 0) return
      restarts += 1
      await service.restart(restarts % 2 === 0 ? 'SIGTERM' : 'SIGKILL', async () => {
        for (const id of await withDatabase(path, (db) => expireSome(db, random))) expired.add(id)
      })
    }
    try {
      await Promise.all(
        dayClients.map(async (client, index) => {
          for (let turn = 0; turn < tasks / clients; turn += 1) {
            await client.runTask(`client-${index}.${turn}`)
            await injectFaults()
          }
        }),
      )
      // Expired files are removed at the next start.
      await service.restart('SIGTERM')
    } finally {
      for (const client of dayClients) client.end()
    }
    await Promise.all(following)
  }
  return await withDatabase(path, async (db) => {
    await checkEnd(db, dayClients, join(dataDir, 'files'))
    return { ...(await figures(db)), restarts, disconnects, expired: expired.size }
  })
}

async function withDatabase<T>(path: string, use: (db: Db) => Promise<T>): Promise<T> {
  const db = await openDatabase({ path })
  try {
    return await use(db)
  } finally {
    await db.destroy()
  }
}

async function openAccounts(db: Db): Promise<string[]> {
  const keys: string[] = []
  for (let index = 0; index < clients; index += 1) {
    const [raw, now] = [newKey(), Date.now()]
    const accountId = await db
      .transaction()
      .execute((trx) => findOrCreateAccount(trx, { name: `client ${index}`, now }))
    await insertKey(db, { accountId, name: 'day', raw, now })
    await grantCredits(db, { accountId, amount: credits, now })
    keys.push(raw)
  }
  return keys
}

/** Expires some files; returns their ids. */
async function expireSome(db: Db, random: () => number): Promise<string[]> {
  const files = await db.selectFrom('files').select('id').where('expire_at', '>', Date.now()).execute()
  const chosen = files.filter(() => random() < 0.1)
  for (const { id } of chosen) {
    await db
      .updateTable('files')
      .set({ expire_at: Date.now() - 1 })
      .where('id', '=', id)
      .execute()
  }
  return chosen.map(({ id }) => id)
}

async function checkEnd(db: Db, dayClients: readonly DayClient[], folder: string): Promise<void> {
  const files = await openDiskStore(folder)
  await checkInvariants(db, files, { deletions: true })
  for await (const { blake3 } of files.list()) {
    if (!(await isContentReferenced(db, blake3))) throw new Error(`${blake3} is an orphan on the disk`)
  }
  const accounts = await db.selectFrom('accounts').selectAll().where('name', 'like', 'client %').execute()
  for (const [index, client] of dayClients.entries()) {
    if (client.failure) throw client.failure
    const account = accounts.find(({ name }) => name === `client ${index}`)
    if (client.seq !== account?.event_seq)
      throw new Error(`received ${client.seq} of ${account?.event_seq} events`)
    const created = await db.selectFrom('tasks').select('id').where('account_id', '=', account.id).execute()
    if (created.length !== client.tasks.size)
      throw new Error(`${created.length} tasks, not ${client.tasks.size}`)
  }
}

async function figures(db: Db): Promise<Pick<DayFigures, 'states' | 'start'>> {
  const tasks = await db.selectFrom('tasks').selectAll().execute()
  const states: Record<string, number> = {}
  for (const { status } of tasks) states[status] = (states[status] ?? 0) + 1
  const waitTimes = tasks
    .filter(({ status, attempts }) => status === 'completed' && attempts === 0)
    .map(({ started_at, created_at }) => Number(started_at) - created_at)
    .toSorted((one, other) => one - other)
  const at = (share: number): number => waitTimes[Math.floor(share * waitTimes.length)] ?? Infinity
  return { states, start: { p50: at(0.5), p95: at(0.95) } }
}
