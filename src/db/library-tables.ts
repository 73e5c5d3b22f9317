import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Creates the tables of the library. Once released it never changes. */
export async function libraryTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('library_folders')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('path', 'text', (c) => c.notNull().unique())
    .addColumn('licence', 'text', (c) => c.notNull())
    .addColumn('attribution', 'text', (c) => c.notNull())
    .addColumn('added_at', 'bigint', (c) => c.notNull())
    .execute()
  await materialsTable(db)
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await db.schema
    .createTable('material_vectors')
    .addColumn('material_id', 'bigint', (c) => c.notNull().references('materials.id').onDelete('cascade'))
    .addColumn('part', 'bigint', (c) => c.notNull())
    .addColumn('start_ms', 'bigint', (c) => c.notNull())
    .addColumn('space', 'text', (c) => c.notNull())
    .addColumn('vector', isPostgres ? 'bytea' : 'blob', (c) => c.notNull())
    .addPrimaryKeyConstraint('material_vectors_pk', ['material_id', 'part'])
    .execute()
  await db.schema
    .createTable('material_grants')
    .addColumn('account_id', 'bigint', (c) => c.notNull().references('accounts.id'))
    .addColumn('material_id', 'bigint', (c) => c.notNull().references('materials.id'))
    .addColumn('granted_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('material_grants_pk', ['account_id', 'material_id'])
    .execute()
  await db.schema
    .createIndex('material_grants_material')
    .on('material_grants')
    .column('material_id')
    .execute()
  await libraryNumbers(db)
  await (isPostgres ? postgresWords : sqliteWords).execute(db)
  if (isPostgres) await sql`create index material_words_terms on material_words using gin (terms)`.execute(db)
}

async function libraryNumbers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('library_numbers')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('last', 'bigint', (c) => c.notNull())
    .execute()
  await db
    .withTables<{ library_numbers: { name: string; last: number } }>()
    .insertInto('library_numbers')
    .values(['folder', 'material', 'change'].map((name) => ({ name, last: 0 })))
    .execute()
}

async function materialsTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('materials')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('folder_id', 'bigint', (c) => c.references('library_folders.id'))
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('blake3', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('modified_at', 'bigint', (c) => c.notNull())
    .addColumn('sidecar', 'text')
    .addColumn('title', 'text')
    .addColumn('author', 'text')
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('audio_type', 'text')
    .addColumn('accompaniment', 'text')
    .addColumn('width', 'bigint')
    .addColumn('height', 'bigint')
    .addColumn('fps', 'double precision')
    .addColumn('duration_ms', 'bigint')
    .addColumn('picture_hash', 'text')
    .addColumn('cover', 'text')
    .addColumn('preview', 'text')
    .addColumn('thumb', 'text')
    .addColumn('kept', 'text')
    .addColumn('kept_accompaniment', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('added_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('materials_path', ['folder_id', 'path'])
    .execute()
  await db.schema.createIndex('materials_state').on('materials').columns(['state', 'updated_at']).execute()
  await db.schema.createIndex('materials_updated').on('materials').column('updated_at').execute()
  await db.schema.createIndex('materials_bytes').on('materials').column('blake3').execute()
  for (const content of ['cover', 'preview', 'thumb', 'kept', 'kept_accompaniment'])
    await db.schema.createIndex(`materials_${content}`).on('materials').column(content).execute()
}

/** Terms are separated by spaces and contain only letters and digits, so that they are split at spaces alone. */
const sqliteWords = sql`create virtual table material_words using fts5(strong, weak, tokenize='ascii')`

const postgresWords = sql`create table material_words (
  rowid bigint primary key references materials (id) on delete cascade,
  strong text not null,
  weak text not null,
  terms tsvector not null
)`
