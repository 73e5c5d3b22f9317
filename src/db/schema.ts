import type { Generated, Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { TaskState } from '../contract/task.ts'

/**
 * Tables of the service, the same in SQLite and PostgreSQL: ids are fixed-width text, so that text
 * order is time order; moments are milliseconds since 1970; JSON is text.
 */
export interface DatabaseSchema {
  identity: IdentityTable
  accounts: AccountsTable
  api_keys: ApiKeysTable
  ledger: LedgerTable
  files: FilesTable
  tasks: TasksTable
  task_files: TaskFilesTable
  events: EventsTable
  uploads: UploadsTable
  upload_parts: UploadPartsTable
  idempotency_keys: IdempotencyKeysTable
  tickets: TicketsTable
}

/** One row: the database's name, which a file store remembers. */
interface IdentityTable {
  id: string
  /** Signs links, hex. */
  secret: string
}

/** Balance and event number of an account; its row is locked first by every writing transaction. */
interface AccountsTable {
  id: number
  name: string
  balance: number
  event_seq: number
  created_at: number
}

interface ApiKeysTable {
  id: string
  account_id: number
  name: string
  /** SHA-256 of the key, hex; the key itself is shown once and never kept. */
  hash: string
  created_at: number
  revoked_at: number | null
  /** Credits its tasks may cost in all; null for no bound. */
  quota: Generated<number | null>
  /** Credits its tasks cost so far, what was refunded taken off. */
  spent: Generated<number>
  /** A key of a browser session ends; null for one that does not. */
  expire_at: Generated<number | null>
}

interface LedgerTable {
  id: string
  account_id: number
  /** Null for a grant. */
  task_id: string | null
  kind: 'grant' | 'hold' | 'refund'
  /** Credits, signed: a hold is negative. An account's balance is the sum of its rows. */
  amount: number
  created_at: number
}

interface FilesTable {
  id: string
  account_id: number
  name: string
  /** Bytes. */
  size: number
  /** BLAKE3, lower-case hex: names the bytes in the file store. */
  blake3: string
  /** Lower case, with its dot. */
  ext: string
  /** MediaFacts as JSON; null before the first probe. */
  facts: string | null
  created_at: number
  expire_at: number
  /** When retention freed the bytes of an expired file; the record waits to be renewed. */
  removed_at: Generated<number | null>
}

interface TasksTable {
  id: string
  account_id: number
  /** Operation name. */
  type: string
  status: TaskState
  /** Index into `priorities`. */
  priority: number
  progress: number
  input: string
  /** The output, or `{error}` of a failed task, as JSON. */
  output: string | null
  /** Credits held. */
  credits: number
  /** Key it was created with. */
  key_id: string | null
  /** Work as the operation planned it, ms; null for tasks older than this column. */
  planned_ms: number | null
  /** Expected work by what such tasks took before, ms. */
  estimated_ms: number
  /** Expected wait when it was created, ms. */
  estimated_wait_ms: number
  /** Failed attempts so far. */
  attempts: number
  /** A retry waits until then. */
  ready_at: number
  created_at: number
  updated_at: number
  started_at: number | null
  finished_at: number | null
}

interface TaskFilesTable {
  task_id: string
  file_id: string
  role: 'input' | 'output'
}

/** Status events, numbered per account without gaps. */
interface EventsTable {
  account_id: number
  seq: number
  task_id: string
  /** The task record at that moment, as JSON. */
  task: string
  created_at: number
}

/** Chunked uploads under way, and those completed of late. */
interface UploadsTable {
  id: string
  account_id: number
  name: string
  /** Declared, bytes. */
  size: number
  /** Bytes of every part but the last. */
  part_size: number
  /** BLAKE3 the client declared, lower-case hex. */
  blake3: string | null
  /** The file it became; asked again, complete answers the same. */
  file_id: string | null
  created_at: number
  expire_at: number
}

/** Parts of them that are stored durably. */
interface UploadPartsTable {
  upload_id: string
  part: number
}

/** Creations by the key under which a client may repeat them. */
interface IdempotencyKeysTable {
  account_id: number
  key: string
  task_id: string
  created_at: number
}

/** Tickets that open one event socket. */
interface TicketsTable {
  /** SHA-256 of the ticket, hex. */
  hash: string
  account_id: number
  key_id: string
  expire_at: number
}

export type Db = Kysely<DatabaseSchema>
export type WriteTransaction = Transaction<DatabaseSchema>
export type FileRow = Selectable<FilesTable>
export type TaskRow = Selectable<TasksTable>
export type NewTaskRow = Insertable<TasksTable>
export type UploadRow = Selectable<UploadsTable>
