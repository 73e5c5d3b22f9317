import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { addKey, revokeKeys } from './accounts/keys.ts'
import { balanceOf, ensureAccount, grant } from './accounts/ledger.ts'
import type { OperationModule } from './contract/operation.ts'
import { openDatabase, type DatabasePlace } from './db/open.ts'
import type { Db } from './db/schema.ts'
import { claimStore } from './files/claim.ts'
import { openDiskStore } from './files/disk.ts'
import { sweepOrphans } from './files/orphans.ts'
import { createApp } from './http/app.ts'
import { localQueue } from './queue/local.ts'
import { TaskEvents } from './tasks/events.ts'
import { executeTask, requeueInterrupted } from './tasks/execute.ts'
import type { Service } from './tasks/service.ts'
import { openWorkers } from './tasks/workers.ts'

/** The account of the one user of an embedded service, and the name of its key. */
const localAccount = { id: 1, name: 'local' }
const embeddedKey = 'embedded'

/** Enough never to run out, small enough to stay exact in sums: a trillion credits. */
const localCredits = 1e12

interface Options {
  readonly dataDir: string
  readonly version: string
  /** Names this run of the service. */
  readonly instance: string
  /** The local account's key of this run; that of an earlier run is revoked. */
  readonly key: string
  readonly operations: readonly OperationModule[]
  /** What starts a worker child. */
  readonly worker: { readonly module: string; readonly args: readonly string[] }
  readonly log: Logger
  /** Tasks worked on at once; by default half the cores, as an encoder keeps two busy. */
  readonly concurrency?: number
  /** Defaults to a SQLite file in the data folder. */
  readonly database?: DatabasePlace
  readonly host?: string
  readonly port?: number
  /** A client asks the daemon to make room for a newer one: true when it leaves. */
  readonly exitIfIdle: () => Promise<boolean>
}

/** A service that accepts requests. */
export interface RunningService {
  readonly port: number
  readonly service: Service
  /** Whether a task is queued or running, or an upload or a download is under way. */
  isBusy(): Promise<boolean>
  /** When the latest request came, ms since 1970. */
  lastActivity(): number
  /** Stops accepting, finishes requests, puts running tasks back into the queue. */
  close(): Promise<void>
}

/** Starts the embedded service on a data folder that the caller holds alone. */
export async function startService(options: Options): Promise<RunningService> {
  const { dataDir, log } = options
  const cores = availableParallelism()
  const concurrency = options.concurrency ?? Math.max(1, Math.floor(cores / 2))
  const scratch = join(dataDir, 'scratch')
  const workers = await openWorkers({ command: options.worker, folder: join(dataDir, 'run'), log })
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { recursive: true })

  const db = await openDatabase(options.database ?? { path: join(dataDir, 'reelwright.sqlite') })
  const store = join(dataDir, 'files')
  const files = await openDiskStore(store)
  await claimStore(db, store)
  const onError = (error: unknown): void => log.error({ err: error }, 'the queue failed')
  const service: Service = {
    db,
    files,
    queue: localQueue({ db, clock: Date.now, onError }),
    events: new TaskEvents(),
    operations: new Map(options.operations.map((module) => [module.operation.name, module])),
    clock: Date.now,
    log,
    concurrency,
  }
  await files.recover()
  await sweepOrphans(db, files)
  await requeueInterrupted(service)
  await openLocalAccount(db, options.key)

  const app = await createApp(service, options)
  const port = await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 })
  const threads = Math.max(1, Math.floor(cores / concurrency))
  const consumer = service.queue.consume(
    (id, signal) => executeTask(service, { workers, scratch, threads }, { id, signal }),
    concurrency,
  )
  return {
    port,
    service,
    isBusy: async () => app.transfersUnderWay() > 0 || (await hasWork(db)),
    lastActivity: app.lastActivity,
    async close() {
      await app.close()
      await consumer.stop()
      await workers[Symbol.asyncDispose]()
      await db.destroy()
    },
  }
}

async function hasWork(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('status', 'in', ['queued', 'processing'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The account of the one user: credits that never run out, and this run's key. */
async function openLocalAccount(db: Db, raw: string): Promise<void> {
  const now = Date.now()
  await ensureAccount(db, { ...localAccount, now })
  if ((await balanceOf(db, localAccount.id)) === 0) {
    await grant(db, { accountId: localAccount.id, amount: localCredits, now })
  }
  const key = { accountId: localAccount.id, name: embeddedKey, now }
  await revokeKeys(db, key)
  await addKey(db, { ...key, raw })
}
