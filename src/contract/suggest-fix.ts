import * as z from 'zod'
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts'

/** Names of required top-level fields that a value does not have. */
export function missingFields(input: z.ZodObject, given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(input.shape as z.ZodRawShape)
    .filter(([name, field]) => given[name] === undefined && !z.safeParse(field, undefined).success)
    .map(([name]) => name)
}

/** Most fields that are listed with their descriptions. */
const maxFieldsDescribed = 3

/** Hint that lists missing fields with their descriptions. */
export function missingFieldsHint(input: z.ZodObject, names: readonly string[]): string {
  return `Add ${describeFields(input, names)}.`
}

/** Lists fields with their descriptions. */
export function describeFields(input: z.ZodObject, names: readonly string[]): string {
  const fields = names.slice(0, maxFieldsDescribed).map((name) => {
    const description = descriptionAt(input, [name])
    return description === undefined ? name : `${name} (${description})`
  })
  return `${fields.join(', ')}${names.length > maxFieldsDescribed ? ', …' : ''}`
}

/** Hint that corrects an invalid value: the `params: { fix }` of the violated refinement, else derived from the schema. */
export function correctionHint(input: AnySchema, { issues }: z.ZodError, given: unknown): string | undefined {
  const shaped = issues.find((one) => one.code === 'invalid_type' && isNested(one.expected))
  const [first] = shaped ? [shaped] : issues
  if (!first) return undefined
  if (first.code === 'custom' && typeof first.params?.['fix'] === 'string') return first.params['fix']
  // The name of the field is invalid, not its value.
  if (first.code === 'invalid_key') return undefined
  const fewer = first.code === 'too_big' ? lengthLimit(first) : undefined
  if (fewer !== undefined) return `Use ${fewer}.`
  const { path } = first
  const leaf = schemaAt(input, path)
  if (!leaf) return undefined
  const place = z.core.toDotPath(path)
  if (first.code === 'invalid_type' && isNested(first.expected))
    return `Pass ${place} as ${schemaOutline(leaf)}.`
  const value = path.reduce<unknown>(propertyAt, given)
  const allowed =
    value === undefined ? undefined : allowedValues(jsonSchemaOf(leaf as z.ZodType, 'input'), value)
  if (allowed !== undefined) return `Use ${allowed}.`
  const description = descriptionAt(input, path)
  return description === undefined ? undefined : `Set ${place}: ${description}.`
}

/** Allowed length of a list or text that is too long. */
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

/** Allowed values close to an invalid one; undefined where the schema lists none. */
function allowedValues(schema: JsonSchema, value: unknown): string | undefined {
  const { enum: choices, const: only, type } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (choices) {
    const names = choices.map(String)
    const near = typeof value === 'string' ? nearestChoice(value, names) : undefined
    // The message lists the choices.
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
  // For a rate such as 29.97, the nearest whole number is meant.
  return type === 'integer' && step === 1 ? String(Math.round(value)) : `${below} or ${above}`
}

/** The choice that a text means: equal apart from case and separators, or a slip of the pen. */
function nearestChoice(value: string, choices: readonly string[]): string | undefined {
  const same = choices.find((choice) => normalizeName(choice) === normalizeName(value))
  return same ?? nearestWord(value, choices)
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

/** Outline of a list or object schema, with required fields, or with all fields where none is required. */
function schemaOutline(schema: AnySchema): string {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodArray) return `[${schemaOutline(inner.element)}, …]`
  if (!(inner instanceof z.ZodObject)) return '…'
  const required = missingFields(inner, {})
  const names = required.length > 0 ? required : Object.keys(inner.shape)
  return `{${names.map((name) => `${JSON.stringify(name)}: …`).join(', ')}}`
}

/** Any schema. */
export type AnySchema = z.core.$ZodType

/** Description of the schema at a path, or of its nearest ancestor that has one; undefined for the root. */
export function descriptionAt(input: AnySchema, path: readonly PropertyKey[]): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const schema = schemaAt(input, path.slice(0, length))
    const description = schema && ownDescription(schema)
    if (description !== undefined) return description.replace(/\.$/, '')
  }
  return undefined
}

function ownDescription(schema: AnySchema): string | undefined {
  const own = z.globalRegistry.get(schema)?.description
  return own ?? (isWrapper(schema) ? ownDescription(schema.unwrap()) : undefined)
}

/** Schema at a path inside another; undefined where there is none or several. */
export function schemaAt(schema: AnySchema, path: readonly PropertyKey[]): AnySchema | undefined {
  const [key, ...rest] = path
  if (key === undefined) return schema
  const next = stepInto(unwrapSchema(schema), String(key))
  return next && schemaAt(next, rest)
}

function stepInto(schema: AnySchema, key: string): AnySchema | undefined {
  if (schema instanceof z.ZodArray) return schema.element
  if (schema instanceof z.ZodRecord) return schema.valueType
  return schema instanceof z.ZodObject ? fieldSchema(schema, key) : undefined
}

/** Schema of a field of an object; undefined for an unknown name. */
export function fieldSchema({ shape }: z.ZodObject, name: string): AnySchema | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as AnySchema) : undefined
}

/** Schema without its optional, default, nullable and fallback wrappers. */
export function unwrapSchema(schema: AnySchema): AnySchema {
  return isWrapper(schema) ? unwrapSchema(schema.unwrap()) : schema
}

const wrappers = [z.ZodOptional, z.ZodDefault, z.ZodPrefault, z.ZodNullable, z.ZodCatch] as const

function isWrapper(schema: AnySchema): schema is InstanceType<(typeof wrappers)[number]> {
  return wrappers.some((wrapper) => schema instanceof wrapper)
}

/** Longer names are not compared at all: no file or value has one. */
const maxNameLength = 1000

/** Longest name that is compared character by character. */
const maxComparedLength = 100

/**
 * The name that was probably meant by a misspelt one: equal apart from case, extension or word separators, else within
 * an edit distance of two.
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  if (given.length > maxNameLength) return undefined
  const wanted = normalizeName(given)
  let nearest: string | undefined
  let least = Math.min(3, Math.ceil(wanted.length / 2))
  for (const name of names) {
    const stem = normalizeName(name)
    if (stem === wanted) return name
    if (
      Math.max(stem.length, wanted.length) > maxComparedLength ||
      Math.abs(stem.length - wanted.length) >= least
    )
      continue
    const slips = editDistance(stem, wanted)
    if (slips >= least) continue
    least = slips
    nearest = name
  }
  return nearest
}

/** Removes differences that people overlook: case, extension, word separators, Unicode form. */
function normalizeName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/(?<=.)\.[a-z\d]{1,5}$/, '')
    .replaceAll(/[\s_-]+/g, ' ')
}

/** Least letters of a word in which slips are recognised, and of one in which two are. */
const minSlipLength = { one: 4, two: 6 }

/**
 * The word that a misspelt one means: the only closest one, one insertion, deletion or substitution away, or two in
 * words from six letters. Codes, and words with digits, differ by meaning and never match.
 */
export function nearestWord(given: string, words: readonly string[]): string | undefined {
  if (given.length > maxComparedLength || !isProse(given)) return undefined
  const most = given.length >= minSlipLength.two ? 2 : given.length >= minSlipLength.one ? 1 : 0
  const near = words
    .filter((word) => isProse(word) && Math.abs(word.length - given.length) <= most)
    .map((word) => ({ word, slips: editDistance(word, given) }))
    .filter(({ slips }) => slips <= most)
  const least = Math.min(...near.map(({ slips }) => slips))
  const closest = near.filter(({ slips }) => slips === least)
  return closest.length === 1 ? closest[0]?.word : undefined
}

/** Whether a text consists of letters and word separators, and is no code such as en-US. */
function isProse(text: string): boolean {
  return /^[a-z]+([ _-][a-z]+)*$/i.test(text) && !/^[a-z]{2,3}-[a-z]{2,4}$/i.test(text)
}

/** Edit distance: insertions, deletions and substitutions between two texts (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1]
    for (let index = 0; index < other.length; index += 1) {
      const changed = (row[index] ?? 0) + (one[at] === other[index] ? 0 : 1)
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
