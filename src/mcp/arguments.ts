import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'

type Schema = z.core.$ZodType

/** Checks a tool's arguments: forgiving in form (JSON in strings, null for absent), strict in names. Throws 6016. */
export function parseArguments<Input extends z.ZodObject>(input: Input, given: unknown): z.output<Input> {
  const parsed = input.safeParse(readArguments(input, given))
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error))
}

/** The arguments as the schema wants them written, unknown names refused, values not yet checked. */
export function readArguments(input: z.ZodObject, given: unknown): Record<string, unknown> {
  if (given !== undefined && !isRecord(given)) throw new MediaError(6016, 'The arguments must be an object')
  const present = Object.entries(given ?? {}).filter(([, value]) => value !== null)
  const read = unwrapJson(input, Object.fromEntries(present))
  refuseUnknown(input, read, [])
  return read as Record<string, unknown>
}

/** A zod error in words: the path and what is wrong there. */
export function describeIssues(error: z.ZodError): string {
  const [shown, more] = [error.issues.slice(0, 5), error.issues.length - 5]
  const words = shown.map((issue) => `${z.core.toDotPath(issue.path) || 'arguments'}: ${issue.message}`)
  return words.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Some clients send nested arguments as JSON in a string. */
function unwrapJson(schema: Schema, value: unknown): unknown {
  const inner = unwrap(schema)
  const nested = inner instanceof z.ZodArray || inner instanceof z.ZodObject || inner instanceof z.ZodRecord
  const plain = nested && typeof value === 'string' ? parseNested(value) : value
  if (inner instanceof z.ZodArray && Array.isArray(plain)) {
    return plain.map((item) => unwrapJson(inner.element, item))
  }
  if (inner instanceof z.ZodObject && isRecord(plain)) {
    const shape = inner.shape as Readonly<Record<string, Schema>>
    const entries = Object.entries(plain).map(([name, item]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined
      return [name, field ? unwrapJson(field, item) : item] as const
    })
    return Object.fromEntries(entries)
  }
  return plain
}

function parseNested(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function refuseUnknown(schema: Schema, value: unknown, path: readonly (string | number)[]): void {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnknown(inner.element, item, [...path, index])
  } else if (inner instanceof z.ZodObject && isRecord(value)) {
    const shape = inner.shape as Readonly<Record<string, Schema>>
    for (const [name, item] of Object.entries(value)) {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined
      if (!field) throw unknownName([...path, name], Object.keys(shape))
      refuseUnknown(field, item, [...path, name])
    }
  } else if (inner instanceof z.ZodUnion && isRecord(value)) {
    refuseUnknownOfAll(inner.options, value, path)
  }
}

/** A name is known to a union when one of its objects knows all names. */
function refuseUnknownOfAll(
  options: readonly Schema[],
  value: unknown,
  path: readonly (string | number)[],
): void {
  let refused: unknown
  for (const option of options) {
    try {
      refuseUnknown(option, value, path)
      return
    } catch (error) {
      refused ??= error
    }
  }
  throw refused instanceof Error ? refused : new TypeError('a union has no options')
}

function unknownName(path: readonly (string | number)[], expected: readonly string[]): MediaError {
  return new MediaError(6016, `Unknown argument ${z.core.toDotPath([...path])}`, {
    hint: `Expected here: ${expected.join(', ')}.`,
  })
}

function unwrap(schema: Schema): Schema {
  const wrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
  return wrapped ? unwrap(schema.unwrap()) : schema
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
