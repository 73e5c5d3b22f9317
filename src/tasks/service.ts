import type { Logger } from 'pino'
import type { RateLimits } from '../accounts/rate-limits.ts'
import type { Voice } from '../contract/catalog.ts'
import type { OperationModule } from '../contract/operation.ts'
import type { Db } from '../db/schema.ts'
import type { AgentAnswers } from '../engines/services/services.ts'
import type { FileStore } from '../files/store.ts'
import type { LibrarySearch } from '../library/search.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { PrivateFolder } from '../platform/private-folders.ts'
import type { Queue } from '../queue/queue.ts'
import type { TaskEvents } from './events.ts'
import type { TaskMetrics } from './task-metrics.ts'

/** Shared state and settings of the service's parts. */
export interface Service {
  readonly db: Db
  readonly files: FileStore
  /** Search of the library, see `findMaterials`. */
  readonly librarySearch: LibrarySearch
  /** Whether clients run on this machine, so that upload parts may be read from their files. */
  readonly localImport: boolean
  /** Folders of the service, from which nothing is imported. */
  readonly privateFolders: readonly PrivateFolder[]
  /** Maximum size of one account's files, bytes; infinite by default. */
  readonly storageQuota: number
  readonly queue: Queue
  readonly events: TaskEvents
  /** Operations by name. */
  readonly operations: ReadonlyMap<string, OperationModule>
  /** Voices from the settings. */
  readonly voices: readonly Voice[]
  readonly rates: RateLimits
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly log: Logger
  /** Metrics that `GET /metrics` returns. */
  readonly metrics: Metrics
  readonly counts: TaskMetrics
  /** Folder with the finished steps of each unfinished task. */
  readonly steps: string
  /** Number of tasks that run at once. */
  readonly concurrency: number
  /** Running tasks from which a key yields to tasks of all others. */
  readonly runningPerKey: number
  /** Maximum number of queued tasks of a key. */
  readonly queuedPerKey: number
  /** Who answers questions to a language model, where none is configured. */
  readonly agentAnswers: AgentAnswers
  /** Time that a task waits for answers of its agent, ms. */
  readonly questionTimeoutMs: number
  /** Time limit for the result of a synchronous operation, ms. */
  readonly resultTimeoutMs: number
  /** Wait before each attempt after the first, ms. A task fails after the attempt that follows the last wait. */
  readonly retryDelaysMs: readonly number[]
}
