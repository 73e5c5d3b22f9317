import * as z from 'zod'
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

/** Name of the only file field of an object whose other fields are optional. */
export function loneFile(object: z.ZodObject): string | undefined {
  const required = Object.entries(object.shape as z.ZodRawShape).filter(
    ([, field]) => !z.safeParse(field, undefined).success,
  )
  const [only] = required
  return required.length === 1 && only && fileKindsOf(unwrapSchema(only[1])) ? only[0] : undefined
}

/** Width and height, if the schema is a size and the value one in another form: "1920x1080", a list or an object. */
export function readSize(schema: z.ZodArray | z.ZodObject, value: unknown): [number, number] | undefined {
  const isSize =
    schema instanceof z.ZodArray
      ? unwrapSchema(schema.element) instanceof z.ZodNumber &&
        z.safeParse(schema, [16, 16]).success &&
        !z.safeParse(schema, [16]).success
      : Object.keys(schema.shape).join() === 'width,height'
  if (!isSize) return undefined
  const [, width, height] =
    (typeof value === 'string' ? /^\s*(\d{1,5})\s*[x×*, ]\s*(\d{1,5})\s*$/i.exec(value) : null) ?? []
  if (width !== undefined && height !== undefined) return [Number(width), Number(height)]
  if (Array.isArray(value) && value.length === 2) return [value[0] as number, value[1] as number]
  if (!isRecord(value) || !('width' in value && 'height' in value)) return undefined
  return [value['width'] as number, value['height'] as number]
}

/** Parses JSON of a list or object in a string; returns every other value unchanged. */
export function parseNested(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value
}
