import type { Logger } from 'pino'
import type { RateLimits } from '../accounts/rate-limits.ts'
import type { Voice } from '../contract/catalog.ts'
import type { OperationModule } from '../contract/operation.ts'
import type { Db } from '../db/schema.ts'
import type { FileStore } from '../files/store.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Queue } from '../queue/queue.ts'
import type { TaskEvents } from './events.ts'
import type { TaskMetrics } from './metrics.ts'

/** What the parts of the service share. */
export interface Service {
  readonly db: Db
  readonly files: FileStore
  /** Whether clients share this machine and its files, so that parts of uploads may be taken from there. */
  readonly localImport: boolean
  /** Bytes that the files of one account may take; infinite where nobody set a bound. */
  readonly storageQuota: number
  readonly queue: Queue
  readonly events: TaskEvents
  /** By name. */
  readonly operations: ReadonlyMap<string, OperationModule>
  /** From the settings. */
  readonly voices: readonly Voice[]
  readonly rates: RateLimits
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly log: Logger
  /** What `GET /metrics` answers. */
  readonly metrics: Metrics
  readonly counts: TaskMetrics
  /** Holds a folder of each task that has begun and not ended, with what its next attempt need not do again. */
  readonly steps: string
  /** Tasks worked on at once. */
  readonly concurrency: number
  /** How long a synchronous operation's result is waited for, ms. */
  readonly resultTimeoutMs: number
}
