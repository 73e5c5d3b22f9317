import { randomUUID } from 'node:crypto'
import type {
  FoundMaterial,
  LibraryFindResult,
  LibraryQuery,
  MaterialLinks,
} from '../../src/contract/library.ts'
import type { RunContext, RunOperation } from '../../src/contract/operation.ts'
import { type EmbeddedQuery, embedQuery } from '../../src/engines/embedding/embed-query.ts'
import { type materialSearch, maxResults } from './contract.ts'

/** Searches the library, and grants what it returns. Words find materials where no model can be asked. */
export const run: RunOperation<typeof materialSearch> = async (input, context) => {
  const { scope, query: text, top_k, diversity, request_id = randomUUID() } = input
  const query = { scope, text, limit: Math.min(maxResults, top_k), diversity }
  const byWords = await context.library.find(query)
  const embedded = await embedForSearch(query, byWords, context)
  const isEmbedded = 'space' in embedded
  const { recalled, results } = isEmbedded
    ? await context.library.find({ ...query, vector: embedded })
    : byWords
  context.library.grant(results.map(({ id }) => id))
  return {
    request_id,
    recalled,
    total: results.length,
    results: results.map((found) => toResult(found, scope)),
    ...(!isEmbedded && { notes: [`Only words were compared: ${embedded.reason}`] }),
  }
}

/** Embeds the query if the scope has vectors to compare it with. */
async function embedForSearch(
  query: LibraryQuery,
  { space }: LibraryFindResult,
  { threads, signal }: RunContext,
): Promise<EmbeddedQuery> {
  return space === undefined
    ? { reason: 'this part of the library was added without an embedding model' }
    : await embedQuery(query, { threads, signal })
}

function toResult(found: FoundMaterial & MaterialLinks, scope: LibraryQuery['scope']) {
  const { id, name, score, note, tags, title, author, duration, fps, audioType } = found
  const { width, height } = found
  return {
    ...{ id, name, score, note, tags: [...tags], download_url: found.downloadUrl },
    ...(found.coverUrl !== undefined && { cover_url: found.coverUrl }),
    ...(found.previewUrl !== undefined && { preview_url: found.previewUrl }),
    ...(found.thumbUrl !== undefined && { thumb_url: found.thumbUrl }),
    ...(found.accompanimentUrl !== undefined && { accompaniment_url: found.accompanimentUrl }),
    ...{ title, author, audio_type: audioType, duration, fps, width, height },
    ...(scope === 'clip' &&
      width !== undefined &&
      height !== undefined && { orientation: orientationOf(width, height) }),
  }
}

function orientationOf(width: number, height: number): 'landscape' | 'portrait' | 'square' {
  if (width === height) return 'square'
  return width > height ? 'landscape' : 'portrait'
}
