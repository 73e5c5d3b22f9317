import { MediaError } from '../../contract/errors.ts'
import type { LibraryQuery } from '../../contract/library.ts'
import { embedSoundQuery } from './open-sound.ts'
import { findEmbeddingModel, openEmbeddingModel } from './open.ts'

/** Vector of a query, or why it has none: the end of a sentence. */
export type EmbeddedQuery = NonNullable<LibraryQuery['vector']> | { readonly reason: string }

interface EmbedQueryOptions {
  /** Threads of a local model. */
  readonly threads: number
  readonly signal: AbortSignal
  /** Milliseconds of any epoch. */
  readonly clock?: () => number
}

/** Limits of a service that embeds a query, ms and requests: a search continues without it. */
const serviceLimits = { firstByteMs: 8_000, wholeMs: 10_000, tries: 2 }

/** Time after a failure for which a model is not asked again, ms: each search would wait for the next failure. */
const restMs = 60_000

/** Latest failure by the name of the model. */
const failures = new Map<string, { readonly reason: string; readonly at: number }>()

/**
 * Embeds a query for the materials of its scope. A model that fails, such as a service that does not respond, is a reason
 * and not an error, and is not asked again for a minute.
 */
export async function embedQuery(
  { scope, text }: Pick<LibraryQuery, 'scope' | 'text'>,
  options: EmbedQueryOptions,
): Promise<EmbeddedQuery> {
  if (scope !== 'audio') return await embedPictureQuery(text, options)
  const vector = await embedSoundQuery(text, options.threads)
  return vector ?? { reason: 'sounds need a description in English, and the pack clap' }
}

async function embedPictureQuery(
  text: string,
  { threads, signal, clock = Date.now }: EmbedQueryOptions,
): Promise<EmbeddedQuery> {
  const model = await findEmbeddingModel()
  if (!model) return { reason: 'no embedding model is set or installed' }
  const failed = failures.get(model.name)
  if (failed && clock() - failed.at < restMs) return { reason: failed.reason }
  try {
    await using opened = await openEmbeddingModel({ threads, signal, serviceLimits })
    const [values] = await opened.embedTexts([text], { signal })
    failures.delete(model.name)
    if (!values) throw new TypeError('the model returned no vector')
    return { space: opened.space, values }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    const reason = `${error.message}. Fix: ${error.hint.replace(/\.$/, '')}`
    failures.set(model.name, { reason, at: clock() })
    return { reason }
  }
}
