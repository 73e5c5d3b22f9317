import * as z from 'zod'
import { MediaError } from './errors.ts'
import { missingFieldsHint, correctionHint, missingFields } from './fixes.ts'
import { plainIssueMessage } from './plain-issues.ts'
import { summarizeList } from './summarize-list.ts'

/**
 * Reads the JSON body of a request; a null at the top level counts as left out. Throws 6013 for required
 * fields that are missing, 6016 for wrong ones. The example is one that the schema takes.
 */
export function readBody<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
  example: z.input<Schema>,
): z.output<Schema> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new MediaError(6016, 'the body must be a JSON object', {
      hint: `Send one such as ${JSON.stringify(example)}.`,
    })
  }
  const given = omitNulls(body)
  const missing = missingFields(schema, given)
  if (missing.length > 0) {
    throw new MediaError(6013, `required: ${missing.join(', ')}`, {
      hint: missingFieldsHint(schema, missing),
    })
  }
  const parsed = schema.safeParse(given, { error: plainIssueMessage })
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error, 'body'), {
    hint: correctionHint(schema, parsed.error, given),
  })
}

/** An object without the fields that hold null. */
export function omitNulls(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}

/** Most issues that are told: a reader can act on a few. */
export const maxIssuesListed = 5

/** One rule that a value breaks. */
export type SchemaIssue = Pick<z.core.$ZodIssue, 'code' | 'path' | 'message'>

/** What is wrong with a value, place by place; `whole` is the value's own name, `placeOf` tells other places. */
export function describeIssues(
  error: { readonly issues: readonly SchemaIssue[] },
  whole: string,
  placeOf: (path: readonly PropertyKey[]) => string = z.core.toDotPath,
): string {
  // There may be hundreds of thousands.
  const told = dropFollowUpIssues(error.issues).map(({ path, message }, index) =>
    index < maxIssuesListed ? `${placeOf(path) || whole}: ${message}` : '',
  )
  return summarizeList(told, maxIssuesListed)
}

/** Of a value of the wrong kind zod goes on, at once, to tell its length, which means nothing then. */
function dropFollowUpIssues(issues: readonly SchemaIssue[]): SchemaIssue[] {
  return issues.filter(({ path }, index) => {
    const before = issues[index - 1]
    const isSame = before?.path.length === path.length && path.every((key, at) => key === before.path[at])
    return !isSame || before.code !== 'invalid_type'
  })
}
