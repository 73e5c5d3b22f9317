import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { TaskState } from '../contract/task.ts'

/**
 * Tables of the service, the same in SQLite and PostgreSQL: ids are fixed-width text, so that text
 * order is time order; moments are milliseconds since 1970; JSON is text.
 */
export interface Schema {
  identity: IdentityTable
  accounts: AccountsTable
  api_keys: ApiKeysTable
  ledger: LedgerTable
  files: FilesTable
  tasks: TasksTable
  task_files: TaskFilesTable
  events: EventsTable
}

/** One row: the database's name, which a file store remembers. */
interface IdentityTable {
  id: string
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
  /** Expected work, ms. */
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

export type Db = Kysely<Schema>
export type Write = Transaction<Schema>
export type FileRow = Selectable<FilesTable>
export type TaskRow = Selectable<TasksTable>
export type NewTaskRow = Insertable<TasksTable>
