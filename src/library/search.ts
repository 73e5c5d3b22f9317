import type { Worker } from 'node:worker_threads'
import type { LibraryFindResult, LibraryQuery } from '../contract/library.ts'
import type { DatabaseLocation } from '../db/location.ts'
import { startThread } from '../platform/runtime.ts'
import { fromErrorReply } from '../threads/error-reply.ts'
import type { SearchReply, SearchRequest } from './search-thread.ts'

/** Searches the library in a thread, which starts at the first call and keeps its index in memory. */
export interface LibrarySearch extends AsyncDisposable {
  find(query: LibraryQuery): Promise<LibraryFindResult>
  /** Reads the index, so that the first search does not wait for it. */
  load(): Promise<void>
}

/** Opens the search of a library. The database must be migrated. */
export function openLibrarySearch(location: DatabaseLocation): LibrarySearch {
  let thread: SearchThread | undefined
  const send = async (query: LibraryQuery | 'load') => {
    thread ??= startSearchThread(location, () => (thread = undefined))
    return await thread.find(query)
  }
  return {
    find: send,
    load: async () => void (await send('load')),
    async [Symbol.asyncDispose]() {
      await thread?.end()
    },
  }
}

/**
 * Searches the library by the words of a text, and by its vector if given. Results are ordered by their score, and their
 * notes name licence and attribution. Throws 6401 with the command that imports for an empty library, and for a vector of
 * another space than the library's.
 */
export async function findMaterials(
  { librarySearch }: { readonly librarySearch: LibrarySearch },
  query: LibraryQuery,
): Promise<LibraryFindResult> {
  return await librarySearch.find(query)
}

interface SearchThread {
  find(query: LibraryQuery | 'load'): Promise<LibraryFindResult>
  end(): Promise<void>
}

function startSearchThread(location: DatabaseLocation, onEnd: () => void): SearchThread {
  const worker: Worker = startThread(new URL('./search-thread', import.meta.url), location)
  const waiting = new Map<number, PromiseWithResolvers<LibraryFindResult>>()
  let number = 0
  let failure: unknown = new Error('the search thread has ended')
  worker.on('message', ({ number: answered, reply }: SearchReply) => {
    const one = waiting.get(answered)
    waiting.delete(answered)
    if (waiting.size === 0) worker.unref()
    if (reply.kind === 'result') one?.resolve(reply.result)
    else one?.reject(fromErrorReply(reply))
  })
  worker.on('error', (error) => (failure = error))
  const ended = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      onEnd()
      for (const { reject } of waiting.values()) reject(failure)
      resolve()
    }),
  )
  const send = (request: SearchRequest) => worker.postMessage(request, [])
  // An idle thread does not keep the process.
  worker.unref()
  return {
    async find(query) {
      const one = Promise.withResolvers<LibraryFindResult>()
      number += 1
      waiting.set(number, one)
      worker.ref()
      send({ number, query })
      return await one.promise
    },
    async end() {
      worker.ref()
      send(null)
      await ended
    },
  }
}
