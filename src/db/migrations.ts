import { randomBytes, randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { libraryTables } from './library-tables.ts'

type UntypedDb = Kysely<unknown>

/** A migration. Once released it never changes. */
async function firstTables(db: UntypedDb): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('balance', 'bigint', (c) => c.notNull())
    .addColumn('event_seq', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute()
  await db.schema
    .createTable('ledger')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('task_id', 'text')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('amount', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    // At most one hold and one refund per task, enforced by the database.
    .addUniqueConstraint('ledger_task_kind', ['task_id', 'kind'])
    .execute()
  await db.schema
    .createTable('files')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('blake3', 'text', (c) => c.notNull())
    .addColumn('ext', 'text', (c) => c.notNull())
    .addColumn('facts', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expire_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('files_content').on('files').columns(['account_id', 'blake3']).execute()
  await db.schema.createIndex('files_bytes').on('files').column('blake3').execute()
  await taskTables(db)
}

async function taskTables(db: UntypedDb): Promise<void> {
  await db.schema
    .createTable('tasks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('priority', 'bigint', (c) => c.notNull())
    .addColumn('progress', 'bigint', (c) => c.notNull())
    .addColumn('input', 'text', (c) => c.notNull())
    .addColumn('output', 'text')
    .addColumn('credits', 'bigint', (c) => c.notNull())
    .addColumn('estimated_ms', 'bigint', (c) => c.notNull())
    .addColumn('estimated_wait_ms', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('ready_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .execute()
  await db.schema.createIndex('tasks_ready').on('tasks').columns(['status', 'priority', 'id']).execute()
  await db.schema.createIndex('tasks_account').on('tasks').columns(['account_id', 'id']).execute()
  await db.schema
    .createTable('task_files')
    .addColumn('task_id', 'text', (c) => c.notNull().references('tasks.id'))
    .addColumn('file_id', 'text', (c) => c.notNull().references('files.id'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('task_files_pk', ['task_id', 'file_id', 'role'])
    .execute()
  await db.schema.createIndex('task_files_file').on('task_files').column('file_id').execute()
  await db.schema
    .createTable('events')
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_pk', ['account_id', 'seq'])
    .execute()
}

/** Creates the table with the database's permanent id. */
async function identityTable(db: UntypedDb): Promise<void> {
  await db.schema
    .createTable('identity')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .execute()
  await db
    .withTables<{ identity: { id: string } }>()
    .insertInto('identity')
    .values({ id: randomUUID() })
    .execute()
}

/** Adds chunked uploads, idempotency keys, tickets, quotas, measured estimates, retention and signed links. */
async function sharedService(db: UntypedDb): Promise<void> {
  await db.schema
    .createTable('uploads')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('part_size', 'bigint', (c) => c.notNull())
    .addColumn('blake3', 'text')
    // No foreign key: the file may be deleted first.
    .addColumn('file_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expire_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('uploads_expiry').on('uploads').column('expire_at').execute()
  await db.schema
    .createTable('upload_parts')
    .addColumn('upload_id', 'text', (c) => c.notNull().references('uploads.id').onDelete('cascade'))
    .addColumn('part', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('upload_parts_pk', ['upload_id', 'part'])
    .execute()
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull().references('tasks.id'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_pk', ['account_id', 'key'])
    .execute()
  await db.schema
    .createTable('tickets')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('key_id', 'text', (c) => c.notNull().references('api_keys.id'))
    .addColumn('expire_at', 'bigint', (c) => c.notNull())
    .execute()
  await sharedServiceColumns(db)
}

async function sharedServiceColumns(db: UntypedDb): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('quota', 'bigint').execute()
  await db.schema
    .alterTable('api_keys')
    .addColumn('spent', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('api_keys').addColumn('expire_at', 'bigint').execute()
  await db.schema.alterTable('tasks').addColumn('key_id', 'text').execute()
  // Older tasks have no plan: estimates treat them as planned exactly.
  await db.schema.alterTable('tasks').addColumn('planned_ms', 'bigint').execute()
  await db.schema.createIndex('tasks_history').on('tasks').columns(['type', 'status', 'id']).execute()
  await db.schema.alterTable('files').addColumn('removed_at', 'bigint').execute()
  await db.schema.createIndex('files_expiry').on('files').column('expire_at').execute()
  await db.schema.createIndex('events_age').on('events').column('created_at').execute()
  await db.schema.createIndex('accounts_name').on('accounts').column('name').unique().execute()
  await db.schema.alterTable('identity').addColumn('secret', 'text').execute()
  await db
    .withTables<{ identity: { secret: string } }>()
    .updateTable('identity')
    .set({ secret: randomBytes(32).toString('hex') })
    .execute()
}

async function taskNotes(db: UntypedDb): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('note', 'text').execute()
}

async function taskQuestions(db: UntypedDb): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('answers_by', 'text').execute()
  for (const column of ['questions_open', 'suspensions', 'worked_ms']) {
    await db.schema
      .alterTable('tasks')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  }
  await db.schema
    .createTable('questions')
    .addColumn('task_id', 'text', (c) => c.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('rejections', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('problems', 'text')
    .addPrimaryKeyConstraint('questions_pk', ['task_id', 'id'])
    .execute()
}

async function storageOfTasks(db: UntypedDb): Promise<void> {
  for (const [table, column] of [
    ['questions', 'bytes'],
    ['tasks', 'steps_bytes'],
  ] as const) {
    await db.schema
      .alterTable(table)
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  }
}

async function taskImages(db: UntypedDb): Promise<void> {
  await db.schema
    .createTable('task_images')
    .addColumn('task_id', 'text', (c) => c.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('blake3', 'text', (c) => c.notNull())
    .addColumn('ext', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('task_images_pk', ['task_id', 'blake3'])
    .execute()
  await db.schema.createIndex('task_images_bytes').on('task_images').column('blake3').execute()
}

async function accountTypes(db: UntypedDb): Promise<void> {
  await db.schema
    .alterTable('accounts')
    .addColumn('type', 'text', (c) => c.notNull().defaultTo('standard'))
    .execute()
}

/** All migrations. The order of their names is the order of execution. */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': { up: firstTables },
  '0002-identity': { up: identityTable },
  '0003-shared-service': { up: sharedService },
  '0004-task-notes': { up: taskNotes },
  '0005-task-questions': { up: taskQuestions },
  '0006-storage-of-tasks': { up: storageOfTasks },
  '0007-task-images': { up: taskImages },
  '0008-library': { up: libraryTables },
  '0009-account-types': { up: accountTypes },
}
