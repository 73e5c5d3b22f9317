import type { HttpError } from '../services/refusal.ts'

/** How a server is told of an answer's form, from the strictest. */
const responseFormats = ['strict', 'schema', 'object', 'plain'] as const

/** What a server takes of the ways to say the same. */
export interface ChatDialect {
  readonly responseFormat: (typeof responseFormats)[number]
  /** Hosted models that think take the new name alone. */
  readonly tokenLimitField: 'max_tokens' | 'max_completion_tokens'
  /** Whether the model's thoughts count as part of its answer. */
  readonly countsReasoning: boolean
  readonly temperature: boolean
}

const defaultDialect: ChatDialect = {
  responseFormat: 'strict',
  tokenLimitField: 'max_tokens',
  countsReasoning: false,
  temperature: true,
}

/** What was found out, by server and model, for as long as this process lives. */
const knownDialects = new Map<string, ChatDialect>()

/** How a model of a server is spoken to. */
export function knownDialect(server: string): ChatDialect {
  return knownDialects.get(server) ?? defaultDialect
}

/** Remembers what a server took. */
export function rememberDialect(server: string, dialect: ChatDialect): void {
  knownDialects.set(server, dialect)
}

/** The way that is left after a refusal; undefined where it is about something else, or none is left. */
export function fallbackDialect(
  now: ChatDialect,
  { status, detail: said }: HttpError,
): ChatDialect | undefined {
  const isOfForm = [400, 422, 501].includes(status) || /grammar|schema|response_format/i.test(said)
  if (!isOfForm) return undefined
  if (
    now.tokenLimitField === 'max_tokens' &&
    /max_completion_tokens|max_tokens.*(not supported|unsupported)/i.test(said)
  ) {
    return { ...now, tokenLimitField: 'max_completion_tokens', countsReasoning: true }
  }
  if (now.temperature && /temperature/i.test(said)) return { ...now, temperature: false }
  // Not every server says what it minds: it is asked for ever less.
  const form = responseFormats[responseFormats.indexOf(now.responseFormat) + 1]
  return form && { ...now, responseFormat: form }
}

/** Whether a refusal says that the question is longer than the model's context. */
export function isContextExceeded({ status, detail: said }: HttpError): boolean {
  const isSaid = /context[ _](length|size|window)|maximum context|too many tokens|prompt is too long/i.test(
    said,
  )
  return status === 413 || (status === 400 && isSaid)
}
