import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'

/** Kysely dialect over node:sqlite, made durable: what a commit acknowledged survives a power cut. */
export function nodeSqliteDialect(path: string): Dialect {
  return {
    createAdapter: () => new NodeSqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(path),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Has all steps of the schema be one transaction: a start that is cut off leaves none of them half done. */
class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** One connection, used by one caller at a time. */
class NodeSqliteDriver implements Driver {
  readonly #path: string
  readonly #turns = new ConnectionMutex()
  #database: DatabaseSync | undefined

  constructor(path: string) {
    this.#path = path
  }

  async init(): Promise<void> {
    const database = new DatabaseSync(this.#path)
    // Not the option of that name: Node before 22.16 does not know it.
    database.exec('pragma busy_timeout = 10000')
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full')
    database.exec('pragma foreign_keys = on')
    if (process.platform === 'darwin') {
      // macOS keeps written pages in the drive's cache unless told otherwise.
      database.exec('pragma fullfsync = 1')
      database.exec('pragma checkpoint_fullfsync = 1')
    }
    this.#database = database
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.take()
    if (!this.#database) throw new Error('the database is closed')
    return new NodeSqliteConnection(this.#database)
  }

  async releaseConnection(): Promise<void> {
    this.#turns.pass()
  }

  // Immediate: a deferred begin fails at its first write with SQLITE_BUSY_SNAPSHOT, whatever the timeout.
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    } catch (error) {
      // A full or failing disk has SQLite roll back by itself, and what it told of that must not be hidden.
      if (!/no transaction is active/.test(String(error))) throw error
    }
  }

  async destroy(): Promise<void> {
    this.#database?.close()
    this.#database = undefined
  }
}

const writingQueryKinds = new Set<string>(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const rows = this.#database.prepare(query.sql).all(...(query.parameters as SQLInputValue[])) as Row[]
    return writingQueryKinds.has(query.query.kind) ? { rows, numAffectedRows: this.#changes() } : { rows }
  }

  /** Rows the last statement changed. */
  #changes(): bigint {
    return BigInt(Number(this.#database.prepare('select changes() as count').get()?.['count']))
  }

  /** Nothing here reads a result in pieces. */
  streamQuery(): never {
    throw new Error('queries are not streamed')
  }
}

/** Lets callers in one after another, in the order they came. */
class ConnectionMutex {
  #taken = false
  readonly #waiting: (() => void)[] = []

  async take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#taken = true
  }

  pass(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken = false
  }
}
