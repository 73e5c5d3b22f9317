import { EventEmitter } from 'node:events'
import type { Client } from '../client/client.ts'
import { EventFeed } from '../client/event-feed.ts'
import type { Preview } from '../client/preview.ts'
import type { TaskRef } from '../client/tasks.ts'
import type { FileRecord } from '../contract/file.ts'
import type { Operation } from '../contract/operation.ts'
import { reconnecting, type Door } from './connection.ts'
import { Transfers } from './transfers.ts'
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts'

/** A task as this server knows it. */
export interface KnownTask extends TaskRef {
  /** Where its results go, when the agent said so. */
  readonly save_to?: string | undefined
}

/** What an upload led to: a file, or a task made of the files. */
export type Uploaded = { readonly file: FileRecord } | { readonly task: KnownTask }

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
  readonly workspace: Workspace
  readonly feed: EventFeed
  readonly uploads: Transfers<Uploaded>
  readonly saves: Transfers<readonly SavedFile[]>
  /** Pictures being drawn. */
  readonly previews: Transfers<Preview>
  /** Uploads under way by file identity, so that one file travels once. */
  readonly sending: Map<string, Promise<FileRecord>>
  readonly tasks: KnownItems<KnownTask>
  /** Files uploaded or saved through this server, by id. */
  readonly files: KnownItems<{ readonly name: string }>
  readonly events: EventEmitter<SessionEvents>
}

/** What a session is made of. */
export interface SessionOptions extends Door {
  readonly version: string
  readonly operations: readonly Operation[]
  readonly workspace: WorkspaceOptions
}

/** Opens a session; nothing is connected until the first call needs it. */
export function openSession({ version, operations, workspace, ...door }: SessionOptions): Session {
  const client = reconnecting(door)
  const feed = new EventFeed(client)
  const uploads = new Transfers<Uploaded>()
  const saves = new Transfers<readonly SavedFile[]>()
  const previews = new Transfers<Preview>()
  return {
    version,
    operations,
    client,
    workspace: createWorkspace(workspace),
    feed,
    uploads,
    saves,
    previews,
    sending: new Map(),
    tasks: new KnownItems(),
    files: new KnownItems(),
    events: new EventEmitter(),
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
const maxItems = 1000

/** The latest items by id. */
class KnownItems<T> {
  readonly #items = new Map<string, T>()

  remember(id: string, item: T): void {
    this.#items.delete(id)
    this.#items.set(id, item)
    const [oldest] = this.#items.keys()
    if (this.#items.size > maxItems && oldest !== undefined) this.#items.delete(oldest)
  }

  get(id: string): T | undefined {
    return this.#items.get(id)
  }

  entries(): IterableIterator<[string, T]> {
    return this.#items.entries()
  }
}
