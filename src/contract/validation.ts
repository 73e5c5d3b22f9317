import * as z from 'zod'
import { MediaError } from './errors.ts'
import { summarizeList } from './format.ts'
import { correctionHint, missingFields, missingFieldsHint } from './suggest-fix.ts'

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

type RawIssue = z.core.$ZodRawIssue

/** What a schema expects, as somebody who writes JSON calls it; other kinds are told by their own name. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** What a list or a text is counted in. */
const unitNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  array: ['item', 'items'],
  string: ['character', 'characters'],
}

/**
 * What breaks a rule, in plain words with what is allowed: for `safeParse(value, { error: inPlainWords })`.
 * A schema's own text goes before it; of rare rules zod tells.
 */
export function plainIssueMessage(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `${issue.values.length > 1 ? 'one of' : 'must be'} ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return describeBound(issue, { limit: issue.minimum, words: ['at least', 'more than'] })
    case 'too_big':
      return describeBound(issue, { limit: issue.maximum, words: ['at most', 'less than'] })
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_union':
      return 'has none of the forms that are taken here'
    default:
      return undefined
  }
}

interface BoundDescription {
  readonly limit: number | bigint
  /** With the limit itself, and without. */
  readonly words: readonly [string, string]
}

function describeBound(
  { origin, exact, inclusive, input }: RawIssue & { readonly code: 'too_small' | 'too_big' },
  { limit, words: [within, beyond] }: BoundDescription,
): string {
  const unit = unitNames[origin]
  const most = exact ? 'exactly' : inclusive ? within : beyond
  const size = unit ? `${limit} ${unit[limit === 1 ? 0 : 1]}` : String(limit)
  return [`${most} ${size}`, ...describeActual(input)].join(', ')
}

function describeActual(input: unknown): string[] {
  const given = typeof input === 'string' || Array.isArray(input) ? input.length : input
  return typeof given === 'number' ? [`${given} given`] : []
}
