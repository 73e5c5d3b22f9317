import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { agentFieldOf } from '../contract/agent-form.ts'
import { fileKindsOf } from '../contract/file.ts'
import { type AnySchema, descriptionAt, fieldSchema, unwrapSchema } from '../contract/suggest-fix.ts'
import { isRecord } from '../contract/validation.ts'
import { convertUnit, fieldUnit, isConvertible, splitUnit } from './named-units.ts'
import { nearFields, plainName } from './near-names.ts'
import { nearValue, parseTime, type TimeUnit, timeUnit } from './near-values.ts'
import { readSize } from './size-forms.ts'
import { parseNested, singleItem } from './value-forms.ts'

/** What an unknown name means. */
interface MeantField {
  readonly field: string
  /** In the unit of the field. */
  readonly value: unknown
  /** Units of the name and of the field, if they differ. */
  readonly units?: readonly [string, string]
}

/** Says how the value was converted; empty if it was not. */
export function conversion({ value, units }: MeantField, item: unknown): string {
  if (!units || isDeepStrictEqual(value, item)) return ''
  const [from, to] = units
  return `: ${String(item)} ${from} is ${String(value)} ${to}`
}

/** An argument that is no field of its object. */
interface UnknownField {
  readonly name: string
  readonly item: unknown
  /** Fields that are not given under their own names. */
  readonly free: readonly string[]
}

/**
 * The field that an unknown name means, if the value fits it and its unit is known: the first whose choices contain the
 * value, else the first. Numbers in another unit of time are converted.
 */
export function meantField(object: z.ZodObject, unknown: UnknownField): MeantField | undefined {
  const { name, item, free } = unknown
  if (ambiguousFields(object, name)) return undefined
  const split = splitUnit(name)
  const near = nearFields(name, free)
  const fields = near.length > 0 || !split ? near : nearFields(split.base, free)
  const fitting = fields.flatMap((field) => fittingField(object, field, unknown) ?? [])
  const chosen = fitting.find(({ field }) => isChoice(fieldSchema(object, field), item))
  return chosen ?? fitting[0]
}

function fittingField(
  object: z.ZodObject,
  field: string,
  { name, item }: UnknownField,
): MeantField | undefined {
  const schema = fieldSchema(object, field)
  const [from, to] = [splitUnit(name)?.unit, fieldUnit(object, field)]
  const isKnown = from === undefined ? hasKnownUnit(field, item) : isConvertible(from, to)
  if (!schema || !isKnown) return undefined
  const value = from === undefined || to === undefined ? item : convertUnit(item, from, to)
  if (!fits(schema, value, timeUnit(field, descriptionAt(object, [field])))) return undefined
  return { field, value, ...(from !== undefined && to !== undefined && { units: [from, to] }) }
}

/** Fields of an object that a name may equally mean. */
export function ambiguousFields(object: z.ZodObject, name: string): readonly string[] | undefined {
  const { ambiguous } = agentFieldOf(object) ?? {}
  if (!ambiguous) return undefined
  return [name, splitUnit(name)?.base ?? name].flatMap((one) => {
    const plain = plainName(one)
    return ambiguous.names.includes(plain) ? [ambiguous.fields] : []
  })[0]
}

/** Whether a number needs no conversion, as its name states no unit: `start: 5` may be seconds, not ms. */
function hasKnownUnit(field: string, item: unknown): boolean {
  if (!field.endsWith('_ms')) return true
  return typeof item === 'string' && !/^\s*\d+(\.\d+)?\s*$/.test(item) && parseTime(item) !== undefined
}

/** Whether a field is a choice that contains the value. */
function isChoice(field: AnySchema | undefined, item: unknown): boolean {
  const inner = field && unwrapSchema(field)
  if (!(inner instanceof z.ZodEnum)) return false
  return inner.options.some((option) => option === item) || nearValue(inner, item) !== undefined
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
