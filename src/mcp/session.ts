import { EventEmitter } from 'node:events'
import type { Client } from '../client/client.ts'
import { EventFeed } from '../client/event-feed.ts'
import type { Preview } from '../client/preview.ts'
import type { TaskRef } from '../client/tasks.ts'
import type { FileRecord } from '../contract/file.ts'
import type { Operation } from '../contract/operation.ts'
import { reconnecting, type Door } from './connection.ts'
import { KnownItems } from './known-items.ts'
import type { Place } from './place.ts'
import { Transfers } from './transfers.ts'

/** A task as this server knows it. */
export interface KnownTask extends TaskRef {
  /** Where its results go, when the agent said so. */
  readonly save_to?: string | undefined
}

/** Work whose price the user must agree to before it is begun. */
export interface PricedWork {
  readonly task_type: string
  readonly credits: number
}

/** What an upload led to: a file, a task made of the files, or the price of one. */
export type Uploaded =
  | { readonly file: FileRecord }
  | { readonly task: KnownTask; readonly isJoined: boolean }
  | { readonly priced: PricedWork }

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
  readonly place: Place
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
  readonly place: Place
  /** Credits above which the user is asked before a task is made; left out, never. */
  readonly confirmAbove?: number | undefined
  /** Whether https addresses are taken as files; left out, they are not. */
  readonly allowUrls?: boolean
}

/** Opens a session; nothing is connected until the first call needs it. */
export function openSession({
  version,
  operations,
  place,
  confirmAbove,
  allowUrls = false,
  ...door
}: SessionOptions): Session {
  const client = reconnecting(door)
  const feed = new EventFeed(client)
  const uploads = new Transfers<Uploaded>()
  const saves = new Transfers<readonly SavedFile[]>()
  const previews = new Transfers<Preview>()
  return {
    version,
    operations,
    client,
    confirmAbove,
    allowUrls,
    place,
    feed,
    uploads,
    saves,
    previews,
    sending: new Map(),
    tasks: new KnownItems(),
    files: new KnownItems(),
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
