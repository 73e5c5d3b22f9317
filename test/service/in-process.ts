import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureAccount } from '../../src/accounts/accounts.ts'
import { insertKey } from '../../src/accounts/keys.ts'
import { grantCredits } from '../../src/accounts/ledger.ts'
import type { Voice } from '../../src/contract/catalog.ts'
import type { OperationModule } from '../../src/contract/operation.ts'
import { workerEnvironment } from '../../src/config/config.ts'
import type { PackSettings } from '../../src/engines/packs/store.ts'
import type { AgentAnswers, Services } from '../../src/engines/services/services.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configuredPacks, configurePacks } from '../../src/engines/packs/resolve.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import type { DatabaseLocation } from '../../src/db/location.ts'
import { openLog } from '../../src/platform/log.ts'
import type { PrivateFolder } from '../../src/platform/private-folders.ts'
import { newKey } from '../../src/platform/hosting.ts'
import { startService, type RunningService } from '../../src/service/service.ts'
import { fakeModule } from './fake-operation.ts'
import type { TestPacks } from './process.ts'

export interface TestService extends AsyncDisposable {
  readonly running: RunningService
  readonly dataDir: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Creates an account with a key, optionally with a quota, and credits. */
  account(credits: number, quota?: number): Promise<TestAccount>
}

export interface TestAccount {
  readonly id: number
  readonly baseUrl: string
  readonly apiKey: string
  readonly keyId: string
}

export interface TestServiceOptions {
  /** By default a temporary one. */
  readonly dataDir?: string
  readonly database?: DatabaseLocation
  readonly operations?: readonly OperationModule[]
  readonly voices?: readonly Voice[]
  readonly rateLimits?: Readonly<Record<string, number>>
  readonly storageQuota?: number
  readonly queuedPerKey?: number
  readonly localImport?: boolean
  readonly privateFolders?: readonly PrivateFolder[]
  readonly resultTimeoutMs?: number
  /** Short by default: attempts and their order are the same. */
  readonly retryDelaysMs?: readonly number[]
  readonly agentAnswers?: AgentAnswers
  readonly questionTimeoutMs?: number
  /** Milliseconds since 1970. */
  readonly clock?: () => number
  readonly port?: number
  /** Models provided by users, by pack. */
  readonly userModels?: PackSettings['own']
  /** Configuration of packs, of this process and its workers; by default none is installed. */
  readonly packs?: TestPacks
  /** External services configured for this process and its workers. */
  readonly services?: Services
}

/** Size of the pool of workers of a test service. */
export const workerPoolSize = 2

/** A service in this process with the test operation. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'reelwright-service-')))
  const removeTemporary = async (): Promise<void> => {
    // A worker that was killed may still be writing.
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  const key = newKey()
  const { operations = [fakeModule] } = options
  if (options.services) configureServices(options.services)
  // The product configures packs at its start; capabilities report the operations that are ready.
  if (options.packs || !configuredPacks()) {
    configurePacks({
      folder: join(dataDir, 'packs'),
      automatic: false,
      own: options.userModels ?? {},
      manifest,
      ...options.packs,
    })
  }
  const running = await startService({
    retryDelaysMs: [10, 20],
    ...options,
    operations,
    dataDir,
    version: '0.0.0-test',
    instance: 'test',
    key,
    exitIfIdle: async () => false,
    worker: {
      module: join(import.meta.dirname, 'entry.ts'),
      args: [
        'worker',
        JSON.stringify({ own: options.userModels ?? {}, ...options.packs }),
        ...operations.map(({ operation }) => operation.name),
      ],
      environment: workerEnvironment(options.services ?? {}),
    },
    log: openLog({ file: join(dataDir, 'log') }),
    concurrency: workerPoolSize,
  }).catch(async (error: unknown) => {
    await removeTemporary()
    throw error
  })
  const baseUrl = `http://127.0.0.1:${running.port}`
  let accounts = 1
  return {
    running,
    dataDir,
    baseUrl,
    apiKey: key,
    async account(credits, quota) {
      accounts += 1
      const { db } = running.service
      const now = Date.now()
      await ensureAccount(db, { id: accounts, name: `account ${accounts}`, now })
      if (credits > 0) await grantCredits(db, { accountId: accounts, amount: credits, now })
      const apiKey = newKey()
      const keyId = await insertKey(db, { accountId: accounts, name: 'test', raw: apiKey, quota, now })
      return { id: accounts, baseUrl, apiKey, keyId }
    },
    async [Symbol.asyncDispose]() {
      await running.close()
      if (options.services) configureServices({})
      await removeTemporary()
    },
  }
}
