import type { FastifyInstance } from 'fastify'
import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { describeIssues, plainIssueMessage } from '../contract/validation.ts'

/** Reads what a path or a query carries; 6016 names what is wrong with it. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given, { error: plainIssueMessage })
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error, 'request'))
}

/** A path of the contract, `{name}`, as Fastify writes it, `:name`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Reads JSON bodies and no others; an empty one counts as none, as many clients label a request without a body so. */
export function registerJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else void parse(request, body, done)
  })
}
