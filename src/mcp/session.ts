import { EventEmitter } from 'node:events'
import type { Client } from '../client/client.ts'
import { EventFeed } from '../client/event-feed.ts'
import type { Preview } from '../client/preview.ts'
import { findTask, type TaskRef } from '../client/tasks.ts'
import type { FileRecord } from '../contract/file.ts'
import type { Operation } from '../contract/operation.ts'
import { BackgroundJobs } from './background-jobs.ts'
import type { FileDelivery } from './file-delivery.ts'
import { reconnectingClient, type ServiceConnector } from './service-connector.ts'

/** A task as this server knows it. */
export interface KnownTask extends TaskRef {
  /** Where its results go, when the agent said so. */
  readonly save_to?: string | undefined
}

/** Work whose price the user must agree to before it is begun. */
export interface PricedTask {
  readonly task_type: string
  readonly credits: number
}

/** What an upload led to: a file, a task made of the files, or the price of one. */
export type SubmissionResult =
  | { readonly file: FileRecord }
  | { readonly task: KnownTask; readonly isJoined: boolean }
  | { readonly priced: PricedTask }

/** A result file that lies in the workspace. */
export interface SavedFile {
  readonly file_id: string
  readonly role: string
  readonly path: string
  readonly bytes: number
  readonly duration?: number
  /** Why it is not named as the agent wished. */
  readonly note?: string
}

/** A stored file with a link that opens it without a key until it expires. */
export interface LinkedFile {
  readonly file_id: string
  readonly role: string
  readonly name: string
  readonly bytes: number
  readonly url: string
  readonly expires_at: string
  readonly duration?: number
}

/** What happens that connected clients may want to know. */
interface SessionEvents {
  /** Null when any task may have changed. */
  taskChanged: [taskId: string | null]
  resourcesChanged: []
}

/** What all calls of one server share. */
export interface Session extends AsyncDisposable {
  readonly version: string
  readonly operations: readonly Operation[]
  readonly client: Client
  /** Credits above which the user is asked before a task is made; undefined for never. */
  readonly confirmAbove: number | undefined
  /** Whether https addresses are taken as files. */
  readonly allowUrls: boolean
  readonly delivery: FileDelivery
  readonly feed: EventFeed
  readonly submissions: BackgroundJobs<SubmissionResult>
  readonly saves: BackgroundJobs<readonly SavedFile[]>
  /** Pictures being drawn. */
  readonly previews: BackgroundJobs<Preview>
  /** Uploads under way by file identity, so that one file travels once. */
  readonly activeUploads: Map<string, Promise<FileRecord>>
  readonly tasks: RecentItems<KnownTask>
  /** Files uploaded or saved through this server, by id. */
  readonly files: RecentItems<{ readonly name: string }>
  readonly events: EventEmitter<SessionEvents>
}

/** What a session is made of. */
export interface SessionOptions extends ServiceConnector {
  readonly version: string
  readonly operations: readonly Operation[]
  readonly delivery: FileDelivery
  /** Credits above which the user is asked before a task is made; left out, never. */
  readonly confirmAbove?: number | undefined
  /** Whether https addresses are taken as files; left out, they are not. */
  readonly allowUrls?: boolean
}

/** Opens a session; nothing is connected until the first call needs it. */
export function openSession({
  version,
  operations,
  delivery: place,
  confirmAbove,
  allowUrls = false,
  ...door
}: SessionOptions): Session {
  const client = reconnectingClient(door)
  const feed = new EventFeed(client)
  const uploads = new BackgroundJobs<SubmissionResult>()
  const saves = new BackgroundJobs<readonly SavedFile[]>()
  const previews = new BackgroundJobs<Preview>()
  return {
    version,
    operations,
    client,
    confirmAbove,
    allowUrls,
    delivery: place,
    feed,
    submissions: uploads,
    saves,
    previews,
    activeUploads: new Map(),
    tasks: new RecentItems(),
    files: new RecentItems(),
    // Each of its clients listens.
    events: new EventEmitter<SessionEvents>().setMaxListeners(0),
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]()
      uploads[Symbol.dispose]()
      saves[Symbol.dispose]()
      previews[Symbol.dispose]()
      await client.close()
    },
  }
}

/** More than an agent's conversation makes. */
const maxRecentItems = 1000

/** The latest items by id. */
class RecentItems<T> {
  readonly #items = new Map<string, T>()

  remember(id: string, item: T): void {
    this.#items.delete(id)
    this.#items.set(id, item)
    const [oldest] = this.#items.keys()
    if (this.#items.size > maxRecentItems && oldest !== undefined) this.#items.delete(oldest)
  }

  get(id: string): T | undefined {
    return this.#items.get(id)
  }

  entries(): IterableIterator<[string, T]> {
    return this.#items.entries()
  }
}

/** Finds a task by its id alone: in this session, else by asking the service under each task type. Throws 6005. */
export async function lookUpTask(session: Session, taskId: string): Promise<KnownTask> {
  const remembered = session.tasks.get(taskId)
  if (remembered) return remembered
  const types = session.operations.map(({ name }) => name)
  const { task_id, task_type } = await findTask(session.client, taskId, { types })
  const task = { task_id, task_type }
  session.tasks.remember(task_id, task)
  return task
}
