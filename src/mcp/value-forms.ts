import * as z from 'zod'
import { isUnlistedField } from '../contract/agent-form.ts'
import { parseJson } from '../contract/bounded-json.ts'
import { fileKindsOf } from '../contract/file.ts'
import { type AnySchema, unwrapSchema } from '../contract/suggest-fix.ts'
import { isRecord } from '../contract/validation.ts'
import { nearValue, type TimeUnit } from './near-values.ts'

/** A list of one item that is given without the list. */
export function singleItem(
  element: AnySchema,
  value: unknown,
  unit: TimeUnit | undefined,
): unknown[] | undefined {
  const inner = unwrapSchema(element)
  if (inner instanceof z.ZodObject) {
    const isFile = typeof value === 'string' && loneFile(inner) !== undefined
    return isRecord(value) || isFile ? [value] : undefined
  }
  if (value === undefined || Array.isArray(value) || isRecord(value)) return undefined
  return z.safeParse(element, nearValue(inner, value, unit)?.value ?? value).success ? [value] : undefined
}

/** Name of the only file field of an object whose other fields are optional, or not listed. */
export function loneFile(object: z.ZodObject): string | undefined {
  const fields = Object.entries(object.shape)
  const required = fields.filter(([, field]) => !z.safeParse(field, undefined).success)
  const named = required.length > 0 ? required : fields.filter(([, field]) => !isUnlistedField(field))
  const [only] = named
  return named.length === 1 && only && fileKindsOf(unwrapSchema(only[1])) ? only[0] : undefined
}

/** Parses JSON of a list or object in a string; returns every other value unchanged. */
export function parseNested(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value
}
