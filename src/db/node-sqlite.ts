import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
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

/** Kysely dialect for node:sqlite. Commits survive a power cut. */
export function nodeSqliteDialect(path: string): Dialect {
  return {
    createAdapter: () => new NodeSqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(path),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Runs all migrations in one transaction, so that an interrupted start leaves no partial schema. */
class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Driver with a single connection that one caller uses at a time. */
class NodeSqliteDriver implements Driver {
  readonly #path: string
  readonly #mutex = new ConnectionMutex()
  #database: DatabaseSync | undefined

  constructor(path: string) {
    this.#path = path
  }

  async init(): Promise<void> {
    const database = new DatabaseSync(this.#path)
    // Not the constructor option: Node before 22.16 does not support it.
    database.exec('pragma busy_timeout = 10000')
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full')
    database.exec('pragma foreign_keys = on')
    if (process.platform === 'darwin') {
      // On macOS, fsync alone leaves pages in the drive's cache.
      database.exec('pragma fullfsync = 1')
      database.exec('pragma checkpoint_fullfsync = 1')
    }
    this.#database = database
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#mutex.acquire()
    if (!this.#database) throw new Error('the database is closed')
    return new NodeSqliteConnection(this.#database)
  }

  async releaseConnection(): Promise<void> {
    this.#mutex.release()
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
      // On a full or failing disk SQLite has already rolled back; its first error must stay visible.
      if (!/no transaction is active/.test(String(error))) throw error
    }
  }

  async destroy(): Promise<void> {
    this.#database?.close()
    this.#database = undefined
  }
}

const writingQueryKinds = new Set<string>(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

/** Duration of a statement after which the thread does other work first, ms. */
const longStatementMs = 20

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const began = performance.now()
    const rows = this.#database.prepare(query.sql).all(...(query.parameters as SQLInputValue[])) as Row[]
    const result = writingQueryKinds.has(query.query.kind)
      ? { rows, numAffectedRows: this.#changes() }
      : { rows }
    // Of a request with many megabytes: other work has its turn before the next statement.
    if (performance.now() - began > longStatementMs) await nextTurn()
    return result
  }

  /** Number of rows that the last statement changed. */
  #changes(): bigint {
    return BigInt(Number(this.#database.prepare('select changes() as count').get()?.['count']))
  }

  /** Streaming is not used. */
  streamQuery(): never {
    throw new Error('queries are not streamed')
  }
}

/** First-in, first-out mutex for the connection. */
class ConnectionMutex {
  #isLocked = false
  readonly #waiting: (() => void)[] = []

  async acquire(): Promise<void> {
    if (this.#isLocked) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isLocked = true
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isLocked = false
  }
}
