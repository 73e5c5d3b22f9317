import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { fileKindsOf, findFileRefs } from '../contract/file.ts'
import {
  type AnySchema,
  correctionHint,
  describeFields,
  fieldSchema,
  missingFields,
  missingFieldsHint,
  unwrapSchema,
} from '../contract/suggest-fix.ts'
import { id } from '../contract/fields.ts'
import { describeIssues, plainIssueMessage } from '../contract/validation.ts'
import type { Operation } from '../contract/operation.ts'
import { parseJson } from '../contract/bounded-json.ts'

/** Normalizes and validates a tool's arguments. Throws 6013 for missing fields, 6016 for unknown or invalid ones. */
export function parseArguments<Input extends z.ZodObject>(input: Input, given: unknown): z.output<Input> {
  return validateArguments(input, normalizeArguments(input, given))
}

/** Validates normalized arguments. Throws 6013 for missing top-level fields, 6016 for everything else. */
export function validateArguments<Input extends z.ZodObject>(
  input: Input,
  read: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const missing = missingFields(input, read)
  if (missing.length > 0) {
    throw new MediaError(6013, `Required: ${missing.join(', ')}`, { hint: missingFieldsHint(input, missing) })
  }
  const parsed = input.safeParse(read, { error: plainIssueMessage })
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error, 'arguments'), {
    hint: correctionHint(input, parsed.error, read),
  })
}

/**
 * Converts arguments to the types of the schema: parses nested JSON in strings, converts numerals to numbers, and drops
 * null values. Rejects unknown names with 6016; does not validate values.
 */
export function normalizeArguments(input: z.ZodObject, given: unknown): Record<string, unknown> {
  if (given !== undefined && !isRecord(given)) {
    throw new MediaError(6016, 'The arguments must be an object', {
      hint: 'Pass the arguments as a JSON object.',
    })
  }
  const read = normalizeValue(input, given ?? {})
  rejectUnknown(input, read, [])
  return read as Record<string, unknown>
}

/** Some clients send nested arguments as JSON in a string, numbers as text, and null for absent fields. */
function normalizeValue(schema: AnySchema, value: unknown): unknown {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodUnion) return normalizeUnion(inner, value)
  if (inner instanceof z.ZodNumber && typeof value === 'string') return parseNumeral(value)
  const nested = inner instanceof z.ZodArray || inner instanceof z.ZodObject || inner instanceof z.ZodRecord
  const plain = nested && typeof value === 'string' ? parseNested(value) : value
  if (inner instanceof z.ZodArray && Array.isArray(plain)) {
    return plain.map((item) => normalizeValue(inner.element, item))
  }
  if (inner instanceof z.ZodObject && isRecord(plain)) return normalizeFields(inner, plain)
  if (inner instanceof z.ZodRecord && isRecord(plain)) {
    const entries = Object.entries(plain).map(
      ([name, item]) => [name, normalizeValue(inner.valueType, item)] as const,
    )
    return Object.fromEntries(entries)
  }
  return plain
}

function normalizeFields(object: z.ZodObject, given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(given).flatMap(([name, item]) => {
    const field = fieldSchema(object, name)
    if (item === null && !(field && z.safeParse(field, null).success)) return []
    return [[name, field ? normalizeValue(field, item) : item] as const]
  })
  return Object.fromEntries(entries)
}

/** Keeps a value that already matches: text stays text if the union accepts text. */
function normalizeUnion(union: z.ZodUnion, value: unknown): unknown {
  if (union.safeParse(value).success) return value
  const readings = union.options.map((option) => [option, normalizeValue(option, value)] as const)
  const fitting = readings.find(([option, read]) => z.safeParse(option, read).success)
  return fitting ? fitting[1] : value
}

function parseNumeral(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

function parseNested(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text
}

function rejectUnknown(schema: AnySchema, value: unknown, path: readonly (string | number)[]): void {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) rejectUnknown(inner.element, item, [...path, index])
  } else if (inner instanceof z.ZodObject && isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      const field = fieldSchema(inner, name)
      if (!field) throw unknownArgument([...path, name], Object.keys(inner.shape))
      rejectUnknown(field, item, [...path, name])
    }
  } else if (inner instanceof z.ZodUnion && isRecord(value)) {
    rejectUnknownInUnion(inner.options, value, path)
  }
}

/** Accepts the names if one of the union's objects knows all of them. */
function rejectUnknownInUnion(
  options: readonly AnySchema[],
  value: unknown,
  path: readonly (string | number)[],
): void {
  let refused: unknown
  for (const option of options) {
    try {
      rejectUnknown(option, value, path)
      return
    } catch (error) {
      refused ??= error
    }
  }
  throw refused instanceof Error ? refused : new TypeError('a union has no options')
}

function unknownArgument(path: readonly (string | number)[], expected: readonly string[]): MediaError {
  return new MediaError(6016, `Unknown argument ${z.core.toDotPath([...path])}`, {
    hint:
      expected.length > 0
        ? `Expected here: ${expected.join(', ')}.`
        : 'Leave it out: no arguments are accepted here.',
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface MeaningfulArguments {
  readonly args: Readonly<Record<string, unknown>>
  /** Names of arguments that this kind of request ignores. */
  readonly ignored: readonly string[]
}

/**
 * Removes arguments without meaning, as some clients fill in every field: empty or default values of fields that this
 * kind of request ignores, or that a file replaces. Throws 6013 for fields that this kind requires.
 */
export function removeEmptyArguments(
  { input, selectFields: read }: Operation,
  filled: Readonly<Record<string, unknown>>,
): MeaningfulArguments {
  const given = Object.fromEntries(
    Object.entries(filled).filter(([name, value]) => value !== '' || !isOptionalId(fieldSchema(input, name))),
  )
  const isRead = Object.entries(read ? read(given) : given).filter(([, value]) => value !== undefined)
  const names = new Set(isRead.map(([name]) => name))
  const inFiles = new Set(findFileRefs(input, given).map(({ insteadOf }) => insteadOf))
  const meant = Object.entries(given).filter(
    ([name, value]) =>
      (names.has(name) && !inFiles.has(name)) || !isEmptyOrDefault(fieldSchema(input, name), value),
  )
  return {
    args: Object.fromEntries(meant),
    ignored: meant.flatMap(([name]) => (names.has(name) ? [] : name)),
  }
}

/** Throws 6016 for ignored arguments. The service ignores them (contract 2, 4.1), but the agent had an intention. */
export function rejectIgnoredArguments({ input }: Operation, unread: readonly string[]): void {
  if (unread.length === 0) return
  const [it, itCounts] = unread.length === 1 ? ['it', 'it is used'] : ['them', 'they are used']
  throw new MediaError(6016, `${unread.join(', ')}: ignored by this kind of request`, {
    hint: `Leave ${it} out, or change the request so that ${itCounts}: ${describeFields(input, unread)}`,
  })
}

/** Whether a field is an optional id or file: an empty string there means that it is absent. */
function isOptionalId(field: AnySchema | undefined): boolean {
  if (field === undefined) return false
  const inner = unwrapSchema(field)
  return inner !== field && (inner === id || fileKindsOf(inner) !== undefined)
}

function isEmptyOrDefault(field: AnySchema | undefined, value: unknown): boolean {
  if (value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0))
    return true
  return field !== undefined && isDeepStrictEqual(value, z.safeParse(field, undefined).data)
}
