import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { embeddedKeyName, ensureAccount, localAccount } from '../accounts/accounts.ts'
import { replaceKeys } from '../accounts/keys.ts'
import { RateLimits } from '../accounts/rate-limits.ts'
import { accountBalance, grantCredits } from '../accounts/ledger.ts'
import type { Voice } from '../contract/catalog.ts'
import type { OperationModule } from '../contract/operation.ts'
import { dataFiles, dataFolderParts, dataFolders } from '../daemon/data-files.ts'
import { lockDatabase, type DatabaseLock } from '../db/database-lock.ts'
import { openDatabase } from '../db/open.ts'
import type { DatabaseLocation } from '../db/location.ts'
import type { Db } from '../db/schema.ts'
import { bindStoreToDatabase, openDiskStore } from '../files/disk.ts'
import { removeOrphans } from '../files/removal.ts'
import { hasActiveUpload } from '../files/uploads.ts'
import { createApp } from '../http/app.ts'
import { openEmbeddings } from '../library/build-embeddings.ts'
import { openLibrarySearch } from '../library/search.ts'
import { registerServiceMetrics } from './metrics.ts'
import { registerSecret } from '../platform/log.ts'
import { Metrics } from '../platform/metrics.ts'
import { CleanupStack } from '../platform/cleanup-stack.ts'
import type { ConnectionLimits } from '../platform/connection-choice.ts'
import { createFolder } from '../platform/folder.ts'
import type { HostedService, HostProcess } from '../platform/hosting.ts'
import type { PrivateFolder } from '../platform/private-folders.ts'
import { createLocalQueue } from '../queue/local-queue.ts'
import type { Queue } from '../queue/queue.ts'
import { TaskEvents } from '../tasks/events.ts'
import { defaultResultTimeoutMs } from '../tasks/await-result.ts'
import { removeOrphanedSteps } from '../tasks/attempt-folders.ts'
import { defaultRetryDelaysMs, executeTask, requeueInterrupted } from '../tasks/execute.ts'
import { createTaskMetrics } from '../tasks/task-metrics.ts'
import { sweepHourly } from './sweep.ts'
import type { AgentAnswers } from '../engines/services/services.ts'
import { defaultQuestionTimeoutMs } from '../tasks/questions.ts'
import type { Service } from '../tasks/service.ts'
import type { WorkerChildOptions } from '../tasks/worker-child.ts'
import { openWorkers } from '../tasks/workers.ts'

/** Balance of the local account: practically unlimited, but exact in sums. */
const localCredits = 1e12

/** Default maximum of queued tasks of a key: hours of work, and far below what slows the queue down. */
const defaultQueuedPerKey = 500

/** Options of a service. Its key becomes that of the local account; the key of an earlier run is revoked. */
export interface ServiceOptions extends HostProcess {
  readonly dataDir: string
  readonly operations: readonly OperationModule[]
  /** Requests per minute and key, by operation; by default the operations' own limits. */
  readonly rateLimits?: Readonly<Record<string, number>>
  readonly connectionLimits?: ConnectionLimits
  readonly voices?: readonly Voice[]
  /** Whether all clients belong to this user on this machine: then uploads may import files by path. */
  readonly localImport?: boolean
  /** Folders from which nothing is imported, besides the data folder. */
  readonly privateFolders?: readonly PrivateFolder[]
  /** Storage limit of an account, bytes. */
  readonly storageQuota?: number | undefined
  /** Maximum number of queued tasks of a key; 500 by default. */
  readonly queuedPerKey?: number | undefined
  /** Running tasks from which a key yields to tasks of all others; by default one less than run at once. */
  readonly runningPerKey?: number | undefined
  /** Command that starts a worker process. */
  readonly worker: WorkerChildOptions['command']
  readonly log: Logger
  /** Concurrent tasks; by default half the number of cores, as an encoder uses two. */
  readonly concurrency?: number
  /** Who answers questions to a language model, where none is configured; by default the agents that offer it. */
  readonly agentAnswers?: AgentAnswers | undefined
  /** How long a task waits for answers of its agent, ms. */
  readonly questionTimeoutMs?: number | undefined
  /** How long a synchronous operation may take, ms. */
  readonly resultTimeoutMs?: number
  /** Wait before each further attempt of a task, ms. */
  readonly retryDelaysMs?: readonly number[]
  /** Milliseconds since 1970; by default the system's clock. */
  readonly clock?: () => number
  /** By default a SQLite file in the data folder. */
  readonly database?: DatabaseLocation
  readonly host?: string
  readonly port?: number
  /** The https address for clients on other machines. */
  readonly publicUrl?: string | undefined
  /** Whether the key is also accepted in the query. */
  readonly allowQueryAuthorization?: boolean
}

/** A running service with its parts. */
export interface RunningService extends HostedService {
  readonly service: Service
  /** Resolves with the reason once the database lock is lost; then the service must be closed. */
  readonly lost: DatabaseLock['lost']
}

/** Starts a service on a data folder that the caller has locked; closes everything if it fails. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  await using opened = new CleanupStack()
  const { dataDir, log, host = '127.0.0.1', port = 0 } = options
  const cores = availableParallelism()
  const concurrency = options.concurrency ?? Math.max(1, Math.floor(cores / 2))
  const scratch = join(dataDir, dataFolders.scratch)
  registerSecret(options.key)
  const metrics = new Metrics()
  const folder = join(dataDir, dataFolders.workers)
  const workers = opened.use(await openWorkers({ command: options.worker, folder, log, metrics }))
  await rm(scratch, { recursive: true, force: true })
  await createFolder(scratch)
  const { service, lost } = await openService({ ...options, concurrency, metrics }, opened)

  const app = await createApp(service, options, {
    publicUrl: options.publicUrl,
    allowQueryAuthorization: options.allowQueryAuthorization,
    connectionLimits: options.connectionLimits,
  })
  opened.use(sweepHourly({ ...service, onRemoved: app.forgetFile }))
  let loading: Promise<void> | undefined
  opened.defer(() => loading)
  let consumer: ReturnType<Queue['consume']> | undefined
  opened.defer(() => consumer?.stop())
  opened.defer(app.close)
  const listening = await app.listen({ host, port })
  loading = loadLibrary(service)
  const threads = Math.max(1, Math.floor(cores / concurrency))
  consumer = service.queue.consume(
    (id, signal) => executeTask(service, { workers, scratch, threads }, { id, signal }),
    concurrency,
  )
  const running = opened.move()
  return {
    port: listening,
    service,
    lost,
    isBusy: async () =>
      app.activeTransfers() > 0 || (await hasWork(service.db)) || (await hasActiveUpload(service)),
    hasOpenRequests: app.isHandlingRequest,
    lastActivity: app.lastActivity,
    close: () => running[Symbol.asyncDispose](),
  }
}

/** Opens database and files, recovers from an earlier run, and installs the key of this run. */
async function openService(
  options: ServiceOptions & Pick<Service, 'concurrency' | 'metrics'>,
  opened: CleanupStack,
): Promise<Pick<RunningService, 'service' | 'lost'>> {
  const { dataDir, log, operations, rateLimits = {}, voices = [], concurrency, metrics } = options
  const { storageQuota = Infinity, localImport = false, privateFolders = [] } = options
  const { queuedPerKey = defaultQueuedPerKey, clock = Date.now } = options
  const runningPerKey = options.runningPerKey ?? Math.max(1, concurrency - 1)
  const place = options.database ?? { path: join(dataDir, dataFiles.database) }
  const { lost } = opened.use(await lockDatabase(place))
  const db = await openDatabase(place)
  opened.defer(() => db.destroy())
  opened.use(await openEmbeddings({ db, log }))
  const store = join(dataDir, dataFolders.files)
  const files = await openDiskStore(store)
  await bindStoreToDatabase(db, store)
  const onError = (error: unknown): void => log.error({ err: error }, 'the queue failed')
  const service: Service = {
    db,
    files,
    librarySearch: opened.use(openLibrarySearch(place)),
    localImport,
    privateFolders: [...dataFolderParts(dataDir), ...privateFolders],
    storageQuota,
    queue: createLocalQueue({ db, clock, runningPerKey, onError }),
    events: new TaskEvents(),
    voices,
    rates: new RateLimits({ clock, perMinute: rateLimits }),
    operations: new Map(operations.map((module) => [module.operation.name, module])),
    clock,
    log,
    metrics,
    counts: createTaskMetrics(metrics),
    concurrency,
    runningPerKey,
    queuedPerKey,
    agentAnswers: options.agentAnswers ?? 'if offered',
    questionTimeoutMs: options.questionTimeoutMs ?? defaultQuestionTimeoutMs,
    resultTimeoutMs: options.resultTimeoutMs ?? defaultResultTimeoutMs,
    retryDelaysMs: options.retryDelaysMs ?? defaultRetryDelaysMs,
    steps: join(dataDir, dataFolders.steps),
  }
  const measuring = registerServiceMetrics(service, options)
  opened.defer(() => measuring[Symbol.dispose]())
  await files.recover()
  await createFolder(service.steps)
  await removeOrphans(db, files)
  await requeueInterrupted(service)
  await removeOrphanedSteps(service)
  await openLocalAccount(db, options.key)
  return { service, lost }
}

/** Reads the library in its thread while requests are served already. A service without one does not start the thread. */
async function loadLibrary({ db, librarySearch, log }: Service): Promise<void> {
  try {
    const material = await db
      .selectFrom('materials')
      .select('id')
      .where('state', '=', 'active')
      .limit(1)
      .executeTakeFirst()
    if (material) await librarySearch.load()
  } catch (error) {
    log.warn({ err: error }, 'the library was not loaded; the next search reads it')
  }
}

async function hasWork(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('status', 'in', ['queued', 'processing'])
    // A task that waits for answers also continues after a restart.
    .where('questions_open', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Sets up the local account with practically unlimited credits and the key of this run. */
async function openLocalAccount(db: Db, raw: string): Promise<void> {
  const now = Date.now()
  await ensureAccount(db, { ...localAccount, now })
  if ((await accountBalance(db, localAccount.id)) === 0) {
    await grantCredits(db, { accountId: localAccount.id, amount: localCredits, now })
  }
  await replaceKeys(db, { accountId: localAccount.id, name: embeddedKeyName, now, raw })
}
