import type * as z from 'zod'

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
