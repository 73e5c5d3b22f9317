import { EventEmitter } from 'node:events'
import type { Client } from '../client/client.ts'
import { EventFeed } from '../client/event-feed.ts'
import type { Preview } from '../client/preview.ts'
import { findTask, type TaskRef } from '../client/tasks.ts'
import type { FileRecord } from '../contract/file.ts'
import type { Operation } from '../contract/operation.ts'
import { BackgroundJobs } from './background-jobs.ts'
import type { FileDelivery } from './file-delivery.ts'
import { type LocalProgram, rewritingClient, runnableTexts, type TextRewriter } from './runnable-commands.ts'
import { RecentResults } from './recent-results.ts'
import { reconnectingClient, type ServiceConnector } from './service-connector.ts'

/** What was assumed about a call, one sentence each. */
export interface CallAssumptions {
  /** All of it: also how arguments were read that were written differently. */
  readonly assumed?: readonly string[]
  /** What was derived from the arguments, the same for equal calls. */
  readonly derived?: readonly string[]
}

/** A task that this session knows, with the assumptions about the call that created it. */
export interface KnownTask extends TaskRef, CallAssumptions {
  /** Folder or name for its results, if the agent gave one. */
  readonly save_to?: string | undefined
  /** The plain arguments of the call that created it. */
  readonly input?: Readonly<Record<string, unknown>> | undefined
  /** Replaces names of fields in its error by those that the call used. */
  readonly restoreNames?: ((text: string) => string) | undefined
  /** Local files that it reads. */
  readonly inputFiles?: readonly InputFile[] | undefined
  /** Paths of its saved results. */
  readonly saved?: readonly string[] | undefined
}

/** A local file of a task. */
export interface InputFile {
  /** Its own name. */
  readonly name: string
  /** Its name in the service: that of the first upload with the same content. */
  readonly storedName: string
}

/** A task that is not created until the user agrees to its price. */
export interface PricedTask extends CallAssumptions {
  readonly task_type: string
  readonly credits: number
}

/** Result of a submission: an uploaded file, a created or joined task, or a price that needs consent. */
export type SubmissionResult =
  | { readonly file: FileRecord }
  | { readonly task: KnownTask; readonly isJoined: boolean }
  | { readonly priced: PricedTask }

/** A result file saved in the workspace. */
export interface SavedFile extends SavedPlace {
  readonly file_id: string
  readonly role: string
  readonly duration?: number
}

/** Where a file was saved. */
export interface SavedPlace {
  readonly path: string
  readonly bytes: number
  /** Why its name differs from the agent's. */
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

/** Events that connected clients may be notified of. */
interface SessionEvents {
  /** Null if any task may have changed. */
  taskChanged: [taskId: string | null]
  resourcesChanged: []
}

/** State shared by all calls of one server. */
export interface Session extends AsyncDisposable {
  readonly version: string
  readonly operations: readonly Operation[]
  readonly client: Client
  /** Credits above which the user must agree before a task is created; undefined for never. */
  readonly confirmAbove: number | undefined
  /** Whether https URLs are accepted as files. */
  readonly allowUrls: boolean
  /** Whether the agent can answer questions to a language model. */
  readonly offersAnswers: boolean
  /** Makes the commands in a text runnable here; the texts of `client` are rewritten already. */
  readonly runnable: TextRewriter
  readonly delivery: FileDelivery
  readonly feed: EventFeed
  /** Uploads, and submissions that upload files and create a task. */
  readonly submissions: BackgroundJobs<SubmissionResult>
  readonly saves: BackgroundJobs<readonly SavedFile[]>
  readonly materialSaves: BackgroundJobs<readonly SavedPlace[]>
  /** Previews that the service is rendering. */
  readonly previews: BackgroundJobs<Preview>
  /** Running uploads by file identity, so that a file is uploaded once. */
  readonly activeUploads: Map<string, Promise<FileRecord>>
  /** BLAKE3 of uploaded files by file identity, so that the next call does not read them again. */
  readonly hashes: RecentItems<string>
  readonly tasks: RecentItems<KnownTask>
  readonly results: RecentResults
  /** Files uploaded or saved through this server, by id. */
  readonly files: RecentItems<{ readonly name: string }>
  readonly events: EventEmitter<SessionEvents>
}

/** Options of `openSession`. */
export interface SessionOptions extends ServiceConnector {
  readonly version: string
  readonly operations: readonly Operation[]
  readonly delivery: FileDelivery
  /** Credits above which the user must agree before a task is created; never by default. */
  readonly confirmAbove?: number | undefined
  /** Whether https URLs are accepted as files; false by default. */
  readonly allowUrls?: boolean
  /** Whether the agent can answer questions to a language model; false by default. */
  readonly offersAnswers?: boolean
  /** The program of the local service, whose commands texts then contain; undefined if an operator runs the service. */
  readonly program?: LocalProgram | undefined
}

/** Opens a session. Connects to the service on the first call. */
export function openSession({
  version,
  operations,
  delivery,
  confirmAbove,
  allowUrls = false,
  offersAnswers = false,
  program,
  ...connector
}: SessionOptions): Session {
  const runnable: TextRewriter = program ? runnableTexts(program) : (text) => text
  const service = reconnectingClient(connector)
  const client = program ? rewritingClient(service, runnable) : service
  const feed = new EventFeed(client)
  const submissions = new BackgroundJobs<SubmissionResult>()
  const saves = new BackgroundJobs<readonly SavedFile[]>()
  const materialSaves = new BackgroundJobs<readonly SavedPlace[]>()
  const previews = new BackgroundJobs<Preview>()
  return {
    version,
    operations,
    client,
    confirmAbove,
    allowUrls,
    offersAnswers,
    runnable,
    delivery,
    feed,
    submissions,
    saves,
    materialSaves,
    previews,
    activeUploads: new Map(),
    hashes: new RecentItems(),
    tasks: new RecentItems(),
    results: new RecentResults(),
    files: new RecentItems(),
    // Each client adds a listener.
    events: new EventEmitter<SessionEvents>().setMaxListeners(0),
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]()
      submissions[Symbol.dispose]()
      saves[Symbol.dispose]()
      materialSaves[Symbol.dispose]()
      previews[Symbol.dispose]()
      await client.close()
    },
  }
}

/** Capacity, larger than a conversation needs. */
const maxRecentItems = 1000

/** The most recent items by id. */
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
