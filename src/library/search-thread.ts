import { parentPort, workerData } from 'node:worker_threads'
import { MediaError } from '../contract/errors.ts'
import type { LibraryFindResult, LibraryQuery } from '../contract/library.ts'
import { databaseFailure } from '../db/failure.ts'
import type { DatabaseLocation } from '../db/location.ts'
import { openCurrentDatabase } from '../db/open.ts'
import type { Db } from '../db/schema.ts'
import { type ErrorReply, toErrorReply } from '../threads/error-reply.ts'
import { DatabaseIndex } from './database-index.ts'
import { areEmbeddingsComplete } from './embeddings.ts'
import { findInIndex } from './find-in-index.ts'
import type { MaterialIndex } from './material-index.ts'
import { ScannedIndex } from './scanned-index.ts'

/** A query for the thread, or only to read the index, which finds nothing. Null ends it. */
export type SearchRequest = { readonly number: number; readonly query: LibraryQuery | 'load' } | null

/** Reply of the thread to a query. */
export interface SearchReply {
  readonly number: number
  readonly reply: { readonly kind: 'result'; readonly result: LibraryFindResult } | ErrorReply
}

interface OpenIndex {
  readonly db: Db
  index: MaterialIndex | undefined
}

async function openIndex(): Promise<OpenIndex> {
  const db = await openCurrentDatabase(workerData as DatabaseLocation)
  if (!db) throw new MediaError(6401, 'the database was changed by an older version')
  return { db, index: undefined }
}

/** Returns the index of the database as soon as that is complete, until then the one in memory. */
async function currentIndex({ db, index }: OpenIndex): Promise<MaterialIndex> {
  if (index instanceof DatabaseIndex) return index
  if (await areEmbeddingsComplete(db)) return new DatabaseIndex(db)
  return index ?? new ScannedIndex(db)
}

let opened: ReturnType<typeof openIndex> | undefined

async function find(query: LibraryQuery | 'load'): Promise<SearchReply['reply']> {
  try {
    opened ??= openIndex()
    const current = await opened
    current.index = await currentIndex(current)
    const { db, index } = current
    if (query !== 'load') return { kind: 'result', result: await findInIndex(db, index, query) }
    await index.refresh()
    return { kind: 'result', result: { recalled: 0, results: [] } }
  } catch (error) {
    // The next query reads everything again, in case the index is incomplete.
    const { db } = (await opened?.catch(() => undefined)) ?? {}
    if (!(error instanceof MediaError) || error.code !== 6401 || error.retryable) {
      opened = undefined
      await db?.destroy()
    }
    return toErrorReply(databaseFailure(error) ?? error)
  }
}

async function end(): Promise<void> {
  const { db } = (await opened?.catch(() => undefined)) ?? {}
  await db?.destroy()
  parentPort?.close()
}

/** Answers a request once the earlier ones are answered: all use the same index. */
async function serve(earlier: Promise<void>, request: SearchRequest): Promise<void> {
  await earlier
  if (request === null) return await end()
  const { number, query } = request
  const reply: SearchReply = { number, reply: await find(query) }
  parentPort?.postMessage(reply, [])
}

let last = Promise.resolve()
parentPort?.on('message', (request: SearchRequest) => {
  last = serve(last, request)
})
