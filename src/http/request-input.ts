import type { FastifyInstance } from 'fastify'
import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { describeIssues, plainIssueMessage } from '../contract/validation.ts'

/** Parses path or query parameters. Throws 6016 that names the invalid ones. */
export function parseParameters<Schema extends z.ZodType>(
  schema: Schema,
  parameters: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(parameters, { error: plainIssueMessage })
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error, 'request'))
}

/** Converts a contract path, `{name}`, to Fastify's notation, `:name`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/**
 * Accepts JSON bodies only. An empty body counts as absent, because many clients send the JSON content type
 * without one.
 */
export function registerJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else void parse(request, body, done)
  })
}
