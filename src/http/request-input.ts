import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { correctionHint } from '../contract/suggest-fix.ts'
import { describeIssues, plainIssueMessage } from '../contract/validation.ts'

/** Parses path or query parameters. Throws 6016 that names the invalid ones. */
export function parseParameters<Schema extends z.ZodType>(
  schema: Schema,
  parameters: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(parameters, { error: plainIssueMessage })
  if (parsed.success) return parsed.data
  const hint = correctionHint(schema, parsed.error, parameters)
  throw new MediaError(6016, describeIssues(parsed.error, 'request'), { hint })
}

/** Converts a contract path, `{name}`, to Fastify's notation, `:name`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
