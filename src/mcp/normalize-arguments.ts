import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { fileKindsOf } from '../contract/file.ts'
import { type AnySchema, descriptionAt, fieldSchema, unwrapSchema } from '../contract/suggest-fix.ts'
import { isRecord } from '../contract/validation.ts'
import { parseJson } from '../contract/bounded-json.ts'
import { nearFields } from './near-names.ts'
import { nearValue, parseTime, type TimeUnit, timeUnit } from './near-values.ts'

/** Arguments with the names and types of their schema. */
export interface NormalizedArguments {
  readonly args: Record<string, unknown>
  /** What was read differently from how it was written, one sentence each. */
  readonly assumed: readonly string[]
}

type ArgumentPath = readonly (string | number)[]

/** Position of a value, and where to record what is assumed about it. */
interface ArgumentPlace {
  readonly path: ArgumentPath
  readonly unit?: TimeUnit | undefined
  readonly assumed: string[]
}

/**
 * Converts arguments to the names and types of the schema: misspelt names and values with one clear meaning, nested JSON
 * in strings, text that denotes numbers, times or sizes, a single item in place of a list, a path in place of an object
 * with one file. Drops null values. Rejects other unknown names with 6016; does not validate values.
 */
export function normalizeArguments(input: z.ZodObject, given: unknown): NormalizedArguments {
  if (given !== undefined && !isRecord(given)) {
    throw new MediaError(6016, 'The arguments must be an object', {
      hint: 'Pass the arguments as a JSON object.',
    })
  }
  const assumed: string[] = []
  const read = normalizeValue(input, given ?? {}, { path: [], assumed })
  rejectUnknown(input, read, [])
  return { args: read as Record<string, unknown>, assumed: [...new Set(assumed)] }
}

function normalizeValue(schema: AnySchema, value: unknown, place: ArgumentPlace): unknown {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodUnion) return normalizeUnion(inner, value, place)
  if (inner instanceof z.ZodArray) return normalizeList(inner, value, place)
  if (inner instanceof z.ZodObject) return normalizeObject(inner, value, place)
  if (inner instanceof z.ZodRecord) return normalizeRecord(inner, value, place)
  const near = nearValue(inner, value, place.unit)
  if (!near) return value
  if (near.isAssumed) {
    place.assumed.push(
      `${z.core.toDotPath([...place.path])}: ${JSON.stringify(value)} was read as ${String(near.value)}.`,
    )
  }
  return near.value
}

/** Keeps a value that already matches: text stays text if the union accepts text. */
function normalizeUnion(union: z.ZodUnion, value: unknown, place: ArgumentPlace): unknown {
  if (union.safeParse(value).success) return value
  const readings = union.options.map((option) => [option, normalizeValue(option, value, place)] as const)
  const fitting = readings.find(([option, read]) => z.safeParse(option, read).success)
  return fitting ? fitting[1] : value
}

function normalizeList(list: z.ZodArray, value: unknown, place: ArgumentPlace): unknown {
  const { element } = list
  const plain = parseNested(value)
  const items = Array.isArray(plain)
    ? (plain as unknown[])
    : (readSize(list, plain) ?? singleItem(element, plain, place.unit))
  if (!items) return plain
  return items.map((item, index) => normalizeValue(element, item, { ...place, path: [...place.path, index] }))
}

/** A list of one item that is given without the list. */
function singleItem(element: AnySchema, value: unknown, unit: TimeUnit | undefined): unknown[] | undefined {
  const inner = unwrapSchema(element)
  if (inner instanceof z.ZodObject) {
    const isFile = typeof value === 'string' && loneFile(inner) !== undefined
    return isRecord(value) || isFile ? [value] : undefined
  }
  if (value === undefined || Array.isArray(value) || isRecord(value)) return undefined
  return z.safeParse(element, nearValue(inner, value, unit)?.value ?? value).success ? [value] : undefined
}

function normalizeObject(object: z.ZodObject, value: unknown, place: ArgumentPlace): unknown {
  const plain = parseNested(value)
  if (isRecord(plain)) return normalizeFields(object, plain, place)
  const size = readSize(object, plain)
  if (size) return normalizeFields(object, { width: size[0], height: size[1] }, place)
  const file = loneFile(object)
  return typeof plain === 'string' && file !== undefined && !/^\s*[[{]/.test(plain)
    ? { [file]: plain }
    : plain
}

function normalizeRecord(record: z.ZodRecord, value: unknown, place: ArgumentPlace): unknown {
  const plain = parseNested(value)
  if (!isRecord(plain)) return plain
  const entries = Object.entries(plain).map(
    ([name, item]) =>
      [name, normalizeValue(record.valueType, item, { ...place, path: [...place.path, name] })] as const,
  )
  return Object.fromEntries(entries)
}

function normalizeFields(
  object: z.ZodObject,
  given: Record<string, unknown>,
  { path, assumed }: ArgumentPlace,
): Record<string, unknown> {
  const names = Object.keys(object.shape)
  const free = new Set(names.filter((name) => !Object.hasOwn(given, name)))
  const entries = Object.entries(given).flatMap(([name, item]): [string, unknown][] => {
    const own = fieldSchema(object, name)
    if (item === null && !(own && z.safeParse(own, null).success)) return []
    const meant = own ? name : (meantField(object, { name, item, free: [...free] }) ?? name)
    const field = fieldSchema(object, meant)
    if (!field) return [[name, item]]
    free.delete(meant)
    if (meant !== name) assumed.push(`${z.core.toDotPath([...path, name])} was read as ${meant}.`)
    const unit = timeUnit(meant, descriptionAt(object, [meant]))
    return [[meant, normalizeValue(field, item, { path: [...path, meant], unit, assumed })]]
  })
  return Object.fromEntries(entries)
}

interface UnknownField {
  readonly name: string
  readonly item: unknown
  /** Fields that are not given under their own names. */
  readonly free: readonly string[]
}

/** The field that an unknown name means, if the value fits it and its unit is known. */
function meantField(object: z.ZodObject, { name, item, free }: UnknownField): string | undefined {
  return nearFields(name, free).find((near) => {
    const field = fieldSchema(object, near)
    return (
      field !== undefined &&
      hasKnownUnit(name, near, item) &&
      fits(field, item, timeUnit(near, descriptionAt(object, [near])))
    )
  })
}

/** Whether a number needs no conversion: `start: 5` may be seconds, `begin_time_ms` is not. */
function hasKnownUnit(name: string, field: string, item: unknown): boolean {
  if (!field.endsWith('_ms') || /ms$/i.test(name)) return true
  return typeof item === 'string' && !/^\s*\d+(\.\d+)?\s*$/.test(item) && parseTime(item) !== undefined
}

/** Whether a value has the type of a field. Lists and objects are validated later, with their paths. */
function fits(field: AnySchema, item: unknown, unit: TimeUnit | undefined): boolean {
  const inner = unwrapSchema(field)
  const plain = parseNested(item)
  // A choice that does not exist is reported with the ones that do.
  if (fileKindsOf(inner) || inner instanceof z.ZodEnum) return typeof item === 'string'
  if (inner instanceof z.ZodArray) {
    const items = readSize(inner, plain) ?? singleItem(inner.element, plain, unit)
    return Array.isArray(plain) || items !== undefined
  }
  if (inner instanceof z.ZodObject) return isRecord(plain) || readSize(inner, plain) !== undefined
  if (inner instanceof z.ZodRecord) return isRecord(plain)
  return z.safeParse(inner, nearValue(inner, item, unit)?.value ?? item).success
}

/** Name of the only file field of an object whose other fields are optional. */
function loneFile(object: z.ZodObject): string | undefined {
  const required = Object.entries(object.shape as z.ZodRawShape).filter(
    ([, field]) => !z.safeParse(field, undefined).success,
  )
  const [only] = required
  return required.length === 1 && only && fileKindsOf(unwrapSchema(only[1])) ? only[0] : undefined
}

/** Width and height, if the schema is a size and the value one in another form: "1920x1080", a list or an object. */
function readSize(schema: z.ZodArray | z.ZodObject, value: unknown): [number, number] | undefined {
  const isSize =
    schema instanceof z.ZodArray
      ? unwrapSchema(schema.element) instanceof z.ZodNumber &&
        z.safeParse(schema, [16, 16]).success &&
        !z.safeParse(schema, [16]).success
      : Object.keys(schema.shape).join() === 'width,height'
  if (!isSize) return undefined
  const [, width, height] =
    (typeof value === 'string' ? /^\s*(\d{1,5})\s*[x×*:, ]\s*(\d{1,5})\s*$/i.exec(value) : null) ?? []
  if (width !== undefined && height !== undefined) return [Number(width), Number(height)]
  if (Array.isArray(value) && value.length === 2) return [value[0] as number, value[1] as number]
  if (!isRecord(value) || !('width' in value && 'height' in value)) return undefined
  return [value['width'] as number, value['height'] as number]
}

function parseNested(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value
}

function rejectUnknown(schema: AnySchema, value: unknown, path: ArgumentPath): void {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) rejectUnknown(inner.element, item, [...path, index])
  } else if (inner instanceof z.ZodObject && isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      const field = fieldSchema(inner, name)
      if (!field) throw unknownArgument(inner, [...path, name])
      rejectUnknown(field, item, [...path, name])
    }
  } else if (inner instanceof z.ZodUnion && isRecord(value)) {
    rejectUnknownInUnion(inner.options, value, path)
  }
}

/** Accepts the names if one of the union's objects knows all of them. */
function rejectUnknownInUnion(options: readonly AnySchema[], value: unknown, path: ArgumentPath): void {
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

function unknownArgument(object: z.ZodObject, path: ArgumentPath): MediaError {
  const fields = Object.keys(object.shape)
  const [near] = nearFields(String(path.at(-1)), fields)
  const description = near === undefined ? undefined : descriptionAt(object, [near])
  const question =
    near === undefined ? '' : `Did you mean ${near}${description === undefined ? '' : ` (${description})`}? `
  return new MediaError(6016, `Unknown argument ${z.core.toDotPath([...path])}`, {
    hint:
      fields.length > 0
        ? `${question}Expected here: ${fields.join(', ')}.`
        : 'Leave it out: no arguments are accepted here.',
  })
}
