import * as z from 'zod'
import { MediaError } from './errors.ts'
import { summarizeList } from './format.ts'
import { correctionHint, missingFields, missingFieldsHint } from './suggest-fix.ts'

/**
 * Parses the JSON body of a request; null at the top level counts as absent. Throws 6013 for missing required fields
 * and 6016 for invalid ones. `example` is a valid body, shown where the body is no object.
 */
export function readBody<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
  example: z.input<Schema>,
): z.output<Schema> {
  if (!isRecord(body)) {
    throw new MediaError(6016, 'the body must be a JSON object', {
      hint: `Send an object such as ${JSON.stringify(example)}.`,
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

/** Whether a value is an object and no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an object without its null fields. */
export function omitNulls(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}

/** Most issues that an error lists. */
export const maxIssuesListed = 5

/** One violation of a schema. */
export type SchemaIssue = Pick<z.core.$ZodIssue, 'code' | 'path' | 'message'>

/** Lists the violations of a value with their paths. `whole` names the value itself; `formatPath` formats other paths. */
export function describeIssues(
  error: { readonly issues: readonly SchemaIssue[] },
  whole: string,
  formatPath: (path: readonly PropertyKey[]) => string = z.core.toDotPath,
): string {
  // Only the first are formatted: there may be hundreds of thousands.
  const messages = dropFollowUpIssues(error.issues).map(({ path, message }, index) =>
    index < maxIssuesListed ? `${formatPath(path) || whole}: ${message}` : '',
  )
  return summarizeList(messages, maxIssuesListed)
}

/** Removes issues that zod reports after a wrong type at the same path, such as a length, which mean nothing then. */
function dropFollowUpIssues(issues: readonly SchemaIssue[]): SchemaIssue[] {
  return issues.filter(({ path }, index) => {
    const before = issues[index - 1]
    const isSame = before?.path.length === path.length && path.every((key, at) => key === before.path[at])
    return !isSame || before.code !== 'invalid_type'
  })
}

type RawIssue = z.core.$ZodRawIssue

/** Names of expected types in terms of JSON. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Units of lengths: singular and plural. */
const unitNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  array: ['item', 'items'],
  string: ['character', 'characters'],
}

/**
 * Message for a broken rule, with the allowed values: for `safeParse(value, { error: plainIssueMessage })`.
 * A schema's own message takes precedence. Returns undefined for rare rules, which keep zod's message.
 */
export function plainIssueMessage(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return [
        `${issue.values.length > 1 ? 'one of' : 'must be'} ${issue.values.map(String).join(', ')}`,
        ...describeText(issue.input),
      ].join('; ')
    case 'too_small':
      return describeBound(issue, { limit: issue.minimum, words: ['at least', 'more than'] })
    case 'too_big':
      return describeBound(issue, { limit: issue.maximum, words: ['at most', 'less than'] })
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_union':
      return 'has none of the accepted forms'
    default:
      return undefined
  }
}

interface BoundDescription {
  readonly limit: number | bigint
  /** Words for an inclusive and an exclusive bound. */
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

/** Longest given text that a message repeats, characters. */
const maxRepeatedLength = 40

function describeText(input: unknown): string[] {
  return typeof input === 'string' && input.length <= maxRepeatedLength
    ? [`${JSON.stringify(input)} given`]
    : []
}

function describeActual(input: unknown): string[] {
  const given = typeof input === 'string' || Array.isArray(input) ? input.length : input
  return typeof given === 'number' ? [`${given} given`] : []
}
