import * as z from 'zod'
import { jsonSchemaOf, type JsonSchema } from './json-schema.ts'
import { nearestName } from './near-name.ts'
import { descriptionAt, schemaAt, unwrapSchema, type AnySchema } from './schema-places.ts'

/** Required top-level fields that a value lacks, by name. */
export function missingFields(input: z.ZodObject, given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(input.shape as z.ZodRawShape)
    .filter(([name, field]) => given[name] === undefined && !z.safeParse(field, undefined).success)
    .map(([name]) => name)
}

/** Most fields of which it is told what goes there. */
const maxFieldsDescribed = 3

/** How to add fields that are missing: what each is for. */
export function missingFieldsHint(input: z.ZodObject, names: readonly string[]): string {
  return `Add ${describeFields(input, names)}.`
}

/** Some fields, each with what it is for. */
export function describeFields(input: z.ZodObject, names: readonly string[]): string {
  const fields = names.slice(0, maxFieldsDescribed).map((name) => {
    const description = descriptionAt(input, [name])
    return description === undefined ? name : `${name} (${description})`
  })
  return `${fields.join(', ')}${names.length > maxFieldsDescribed ? ', …' : ''}`
}

/** How to correct a value: as the rule tells that was broken (`params: { fix }` of a refinement), else by the schema of its place. */
export function correctionHint(input: AnySchema, { issues }: z.ZodError, given: unknown): string | undefined {
  const shaped = issues.find((one) => one.code === 'invalid_type' && isNested(one.expected))
  const [first] = shaped ? [shaped] : issues
  if (!first) return undefined
  if (first.code === 'custom' && typeof first.params?.['fix'] === 'string') return first.params['fix']
  // The name of a field is what is wrong, not what stands there.
  if (first.code === 'invalid_key') return undefined
  const fewer = first.code === 'too_big' ? lengthLimit(first) : undefined
  if (fewer !== undefined) return `Give ${fewer}.`
  const { path } = first
  const leaf = schemaAt(input, path)
  if (!leaf) return undefined
  const place = z.core.toDotPath(path)
  if (first.code === 'invalid_type' && isNested(first.expected))
    return `Give ${place} as ${schemaOutline(leaf)}.`
  const value = path.reduce<unknown>(propertyAt, given)
  const allowed =
    value === undefined ? undefined : allowedValues(jsonSchemaOf(leaf as z.ZodType, 'input'), value)
  if (allowed !== undefined) return `Give ${allowed}.`
  const description = descriptionAt(input, path)
  return description === undefined ? undefined : `Give ${place}: ${description}.`
}

/** How much there may be of a list or text that is too long. */
function lengthLimit({ origin, maximum, exact }: z.core.$ZodIssueTooBig): string | undefined {
  if (exact) return undefined
  if (origin === 'string') return `at most ${maximum} characters`
  return origin === 'array' ? `at most ${maximum}` : undefined
}

function isNested(expected: string): boolean {
  return expected === 'array' || expected === 'object'
}

function propertyAt(holder: unknown, key: PropertyKey): unknown {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
    ? (holder as Record<PropertyKey, unknown>)[key]
    : undefined
}

/** Values near one that is not allowed; undefined where the schema does not tell any. */
function allowedValues(schema: JsonSchema, value: unknown): string | undefined {
  const { enum: choices, const: only, type } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (choices) {
    const names = choices.map(String)
    const near = typeof value === 'string' ? nearestName(value, names) : undefined
    // The message lists them.
    if (near === undefined) return names.length > 1 ? 'one of these' : names[0]
    return names.length > 1 ? `${near}, or another of these` : near
  }
  if (type !== 'number' && type !== 'integer') return undefined
  const range = describeRange(schema)
  if (typeof value !== 'number') return ['a number', range].filter(Boolean).join(', ')
  const step = schema.multipleOf ?? (type === 'integer' ? 1 : undefined)
  if (step === undefined) return range
  const [below, above] = [Math.floor(value / step) * step, Math.ceil(value / step) * step]
  if (!isWithin(schema, below) || !isWithin(schema, above) || below === above) return range
  // Of a rate such as 29.97 the nearest whole number is what is meant.
  return type === 'integer' && step === 1 ? String(Math.round(value)) : `${below} or ${above}`
}

function isWithin({ minimum = -Infinity, maximum = Infinity }: JsonSchema, value: number): boolean {
  return value >= minimum && value <= maximum
}

function describeRange({ minimum, exclusiveMinimum, maximum }: JsonSchema): string | undefined {
  const least = minimum ?? exclusiveMinimum
  const from = minimum === undefined ? `more than ${least}` : String(minimum)
  if (least === undefined) return maximum === undefined ? undefined : `${maximum} or less`
  if (maximum === undefined) return minimum === undefined ? from : `${from} or more`
  return minimum === undefined ? `${from}, at most ${maximum}` : `${from} to ${maximum}`
}

/** Objects with the fields they require, or with all where none is. */
function schemaOutline(schema: AnySchema): string {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodArray) return `[${schemaOutline(inner.element)}, …]`
  if (!(inner instanceof z.ZodObject)) return '…'
  const required = missingFields(inner, {})
  const names = required.length > 0 ? required : Object.keys(inner.shape)
  return `{${names.map((name) => `${JSON.stringify(name)}: …`).join(', ')}}`
}
