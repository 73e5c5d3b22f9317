import type { HttpError } from '../services/refusal.ts'

/** How a server is told of an answer's form, from the strictest. */
const forms = ['strict', 'schema', 'object', 'plain'] as const

/** What a server takes of the ways to say the same. */
export interface Dialect {
  readonly form: (typeof forms)[number]
  /** Hosted models that think take the new name alone. */
  readonly limit: 'max_tokens' | 'max_completion_tokens'
  /** Whether the model's thoughts count as part of its answer. */
  readonly thinks: boolean
  readonly temperature: boolean
}

const usual: Dialect = { form: 'strict', limit: 'max_tokens', thinks: false, temperature: true }

/** What was found out, by server and model, for as long as this process lives. */
const known = new Map<string, Dialect>()

/** How a model of a server is spoken to. */
export function dialectOf(server: string): Dialect {
  return known.get(server) ?? usual
}

/** Remembers what a server took. */
export function remember(server: string, dialect: Dialect): void {
  known.set(server, dialect)
}

/** The way that is left after a refusal; undefined where it is about something else, or none is left. */
export function nextDialect(now: Dialect, { status, detail: said }: HttpError): Dialect | undefined {
  const isOfForm = [400, 422, 501].includes(status) || /grammar|schema|response_format/i.test(said)
  if (!isOfForm) return undefined
  if (
    now.limit === 'max_tokens' &&
    /max_completion_tokens|max_tokens.*(not supported|unsupported)/i.test(said)
  ) {
    return { ...now, limit: 'max_completion_tokens', thinks: true }
  }
  if (now.temperature && /temperature/i.test(said)) return { ...now, temperature: false }
  // Not every server says what it minds: it is asked for ever less.
  const form = forms[forms.indexOf(now.form) + 1]
  return form && { ...now, form }
}

/** Whether a refusal says that the question is longer than the model's context. */
export function isTooLong({ status, detail: said }: HttpError): boolean {
  const isSaid = /context[ _](length|size|window)|maximum context|too many tokens|prompt is too long/i.test(
    said,
  )
  return status === 413 || (status === 400 && isSaid)
}
