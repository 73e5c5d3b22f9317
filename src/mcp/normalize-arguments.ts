import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { type AnySchema, descriptionAt, fieldSchema, unwrapSchema } from '../contract/suggest-fix.ts'
import { isRecord } from '../contract/validation.ts'
import { ambiguousFields, conversion, meantField } from './meant-field.ts'
import { splitUnit } from './named-units.ts'
import { nearFields } from './near-names.ts'
import { nearValue, type TimeUnit, timeUnit } from './near-values.ts'
import { readSize } from './size-forms.ts'
import { loneFile, parseNested, singleItem } from './value-forms.ts'

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
  if (near.isAssumed) noteReading(place, value, String(near.value))
  return near.value
}

function noteReading({ path, assumed }: ArgumentPlace, given: unknown, meant: string): void {
  assumed.push(`${z.core.toDotPath([...path])}: ${JSON.stringify(given)} was read as ${meant}.`)
}

/** Width and height, if the schema is a size and the value one in another form. Notes sizes that are given by name. */
function normalizeSize(
  schema: AnySchema,
  value: unknown,
  place: ArgumentPlace,
): [number, number] | undefined {
  const size = readSize(schema, value)
  if (size?.isNamed) noteReading(place, value, `${size.width}x${size.height}`)
  return size && [size.width, size.height]
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
    : (normalizeSize(list, plain, place) ?? singleItem(element, plain, place.unit))
  if (!items) return plain
  return items.map((item, index) => normalizeValue(element, item, { ...place, path: [...place.path, index] }))
}

function normalizeObject(object: z.ZodObject, value: unknown, place: ArgumentPlace): unknown {
  const plain = parseNested(value)
  if (isRecord(plain)) return normalizeFields(object, plain, place)
  const size = normalizeSize(object, plain, place)
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
    const meant = own
      ? { field: name, value: item }
      : meantField(object, { name, item: parseNested(item), free: [...free] })
    const field = meant && fieldSchema(object, meant.field)
    if (!field) return [[name, item]]
    free.delete(meant.field)
    if (!own)
      assumed.push(
        `${z.core.toDotPath([...path, name])} was read as ${meant.field}${conversion(meant, item)}.`,
      )
    const unit = timeUnit(meant.field, descriptionAt(object, [meant.field]))
    return [
      [meant.field, normalizeValue(field, meant.value, { path: [...path, meant.field], unit, assumed })],
    ]
  })
  return Object.fromEntries(entries)
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
  const name = String(path.at(-1))
  const several = ambiguousFields(object, name)
  if (several) {
    const meanings = several.map((field) => `${field} (${descriptionAt(object, [field]) ?? field})`)
    return new MediaError(6016, `${z.core.toDotPath([...path])}: ${name} may mean ${meanings.join(' or ')}`, {
      hint: `Use ${several.join(' or ')}.`,
    })
  }
  const fields = Object.keys(object.shape)
  const [near] = [name, splitUnit(name)?.base ?? name].flatMap((one) => nearFields(one, fields))
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
