import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

type Anything = Kysely<unknown>

/** One step of the schema; a step that has landed never changes. */
async function firstTables(db: Anything): Promise<void> {
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
    // Credits of a task are held once and refunded once, whatever the code does.
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

async function taskTables(db: Anything): Promise<void> {
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

/** Names this database for good. */
async function identity(db: Anything): Promise<void> {
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

/** All steps in their order; names sort in that order. */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': { up: firstTables },
  '0002-identity': { up: identity },
}
