import { randomUUID } from 'node:crypto'
import type { FoundMaterial, LibraryQuery, MaterialLinks } from '../../src/contract/library.ts'
import type { InputOf, RunContext, RunOperation } from '../../src/contract/operation.ts'
import { findEmbeddingModel, openEmbeddingModel } from '../../src/engines/embedding/open.ts'
import { embedSoundQuery } from '../../src/engines/embedding/open-sound.ts'
import { type materialSearch, maxResults } from './contract.ts'

/** Searches the library, and grants what it returns. */
export const run: RunOperation<typeof materialSearch> = async (input, context) => {
  const { scope, query, top_k, diversity, request_id = randomUUID() } = input
  const vector = await queryVector(input, context)
  const { recalled, results } = await context.library.find({
    ...{ scope, text: query, limit: Math.min(maxResults, top_k), diversity },
    ...(vector && { vector }),
  })
  context.library.grant(results.map(({ id }) => id))
  return {
    request_id,
    recalled,
    total: results.length,
    results: results.map((found) => toResult(found, scope)),
  }
}

/** Returns the vector of a query in the space of its scope; undefined without a model. */
async function queryVector(
  { scope, query }: InputOf<typeof materialSearch>,
  { threads, signal }: RunContext,
): Promise<LibraryQuery['vector']> {
  if (scope === 'audio') return await embedSoundQuery(query, threads)
  if (!(await findEmbeddingModel())) return undefined
  await using model = await openEmbeddingModel({ threads, signal })
  const [values] = await model.embedTexts([query], { signal })
  return values && { space: model.space, values }
}

function toResult(found: FoundMaterial & MaterialLinks, scope: LibraryQuery['scope']) {
  const { id, score, note, tags, title, author, duration, fps, audioType } = found
  const { width, height } = found
  return {
    ...{ id, score, note, tags: [...tags], download_url: found.downloadUrl },
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
