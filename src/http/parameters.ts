import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { describeIssues, plainIssueMessage } from '../contract/validation.ts'

/** Reads what a path or a query carries; 6016 names what is wrong with it. */
export function read<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given, { error: plainIssueMessage })
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error, 'request'))
}

/** A path of the contract, `{name}`, as Fastify writes it, `:name`. */
export function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
