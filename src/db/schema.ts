import type { Generated, Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { AccountType } from '../contract/account.ts'
import type { Answerer } from '../contract/questions.ts'
import type { TaskState } from '../contract/task.ts'
import type {
  LibraryFoldersTable,
  LibraryNumbersTable,
  MaterialGrantsTable,
  MaterialsTable,
  MaterialVectorsTable,
} from './library-schema.ts'

/**
 * Tables of the service, identical in SQLite and PostgreSQL. Ids are fixed-width text, so that text order is time
 * order. Times are milliseconds since 1970. JSON is stored as text.
 */
export interface DatabaseSchema {
  identity: IdentityTable
  accounts: AccountsTable
  api_keys: ApiKeysTable
  ledger: LedgerTable
  files: FilesTable
  tasks: TasksTable
  task_files: TaskFilesTable
  task_images: TaskImagesTable
  questions: QuestionsTable
  events: EventsTable
  uploads: UploadsTable
  upload_parts: UploadPartsTable
  idempotency_keys: IdempotencyKeysTable
  tickets: TicketsTable
  library_folders: LibraryFoldersTable
  materials: MaterialsTable
  material_vectors: MaterialVectorsTable
  material_grants: MaterialGrantsTable
  library_numbers: LibraryNumbersTable
}

/** One row: the permanent id of the database, which a file store is bound to. */
interface IdentityTable {
  id: string
  /** Key that signs download links, hex. */
  secret: string
}

/** Balance and last event number of an account. Every writing transaction locks this row first. */
interface AccountsTable {
  id: number
  name: string
  balance: number
  event_seq: number
  created_at: number
  /** Internal accounts are not charged for operations that are free for them. */
  type: Generated<AccountType>
}

interface ApiKeysTable {
  id: string
  account_id: number
  name: string
  /** SHA-256 of the key, hex. The key itself is never stored. */
  hash: string
  created_at: number
  revoked_at: number | null
  /** Total credits that tasks of the key may cost; null for no quota. */
  quota: Generated<number | null>
  /** Credits that tasks of the key have cost, minus refunds. */
  spent: Generated<number>
  /** Expiry of a browser session's key; null for keys that do not expire. */
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
  /** BLAKE3, lower-case hex; identifies the content in the file store. */
  blake3: string
  /** Extension in lower case, with the dot. */
  ext: string
  /** MediaFacts as JSON; null before the first probe. */
  facts: string | null
  created_at: number
  expire_at: number
  /** When the content of an expired file was removed. The record stays and can be renewed. */
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
  /** What the work waits for, such as a download; null for nothing. */
  note: Generated<string | null>
  input: string
  /** The output, or `{error}` of a failed task, as JSON. */
  output: string | null
  /** Credits charged at creation. */
  credits: number
  /** Key that created the task. */
  key_id: string | null
  /** Duration planned by the operation, ms; null for tasks from before this column existed. */
  planned_ms: number | null
  /** Duration expected from earlier tasks of the same type, ms. */
  estimated_ms: number
  /** Expected wait at creation, ms. */
  estimated_wait_ms: number
  /** Failed attempts so far. */
  attempts: number
  /** Earliest time of the next attempt. */
  ready_at: number
  created_at: number
  updated_at: number
  /** Start of the present or last attempt. */
  started_at: number | null
  finished_at: number | null
  /** Who answers the questions of the task to a language model. */
  answers_by: Generated<Answerer>
  /** Open questions; a queued task with any waits for answers until `ready_at`, and then fails. */
  questions_open: Generated<number>
  /** Number of times that the task has waited for answers. */
  suspensions: Generated<number>
  /** Duration of attempts that ended with open questions, ms. */
  worked_ms: Generated<number>
  /** Bytes of the kept steps of a task that waits for answers. */
  steps_bytes: Generated<number>
}

/** Questions of unfinished tasks to the agents that created them. */
interface QuestionsTable {
  task_id: string
  /** Hash of the question. */
  id: string
  /** Order of asking. */
  position: number
  kind: string
  /** `{instructions, input, images}` as JSON; images are files in the folder of the task's steps. */
  content: string
  /** Bytes of the content. */
  bytes: Generated<number>
  /** `unusable` after too many rejected answers; `closed` if it is no longer asked. */
  state: 'open' | 'answered' | 'unusable' | 'closed'
  /** The accepted answer, as JSON. */
  answer: string | null
  rejections: Generated<number>
  /** What was wrong with the last answer, as JSON. */
  problems: string | null
}

interface TaskFilesTable {
  task_id: string
  file_id: string
  role: 'input' | 'output'
}

/** Images that the requests of unfinished tasks contain as text. */
interface TaskImagesTable {
  task_id: string
  /** BLAKE3, lower-case hex; the input of the task names the image by it. */
  blake3: string
  /** Extension of its format, with the dot. */
  ext: string
  /** Bytes. */
  size: number
}

/** Status events, numbered per account without gaps. */
interface EventsTable {
  account_id: number
  seq: number
  task_id: string
  /** The task record at that time, as JSON. */
  task: string
  created_at: number
}

/** Open chunked uploads and recently completed ones. */
interface UploadsTable {
  id: string
  account_id: number
  name: string
  /** Declared size, bytes. */
  size: number
  /** Size of every part except the last, bytes. */
  part_size: number
  /** BLAKE3 declared by the client, lower-case hex. */
  blake3: string | null
  /** The resulting file, so that a repeated completion returns the same one. */
  file_id: string | null
  created_at: number
  expire_at: number
}

/** Durably stored parts of uploads. */
interface UploadPartsTable {
  upload_id: string
  part: number
}

/** Created tasks by the idempotency key of their request. */
interface IdempotencyKeysTable {
  account_id: number
  key: string
  task_id: string
  created_at: number
}

/** One-time tickets for event sockets. */
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
export type QuestionRow = Selectable<QuestionsTable>
export type UploadRow = Selectable<UploadsTable>
export type MaterialRow = Selectable<MaterialsTable>
