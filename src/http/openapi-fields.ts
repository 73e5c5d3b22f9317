import { innerSchemas, type JsonSchema } from '../contract/json-schema.ts'

/** A field of a request or response, for a table. */
export interface FieldRow {
  /** Path of the field, such as `clips[].crop.x`. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  /** Bounds and default. */
  readonly constraints: string
  readonly description: string
}

/** All fields of a schema; parents precede their children. */
export function* fieldRows(schema: JsonSchema, place = ''): Generator<FieldRow> {
  for (const { inner, step } of innerSchemas(schema)) {
    const at = `${place}${step}`.replace(/^\./, '')
    if (step.startsWith('.')) {
      const required = schema.required?.includes(step.slice(1)) ?? false
      const { description = '' } = inner
      yield {
        path: at,
        type: describeType(inner),
        required,
        constraints: describeConstraints(inner),
        description,
      }
    }
    yield* fieldRows(inner, at)
  }
}

/** The type of a value: `array of string`, `"a" or "b"`, `integer or null`. */
export function describeType(schema: JsonSchema): string {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(' or ')
  const either = schema.anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(describeType))].join(' or ')
  const items = [schema.items ?? []].flat().filter((item) => typeof item === 'object')
  if (schema.type === 'array' && items.length > 0) return `array of ${items.map(describeType).join(', ')}`
  return schema.format ?? [schema.type ?? 'any'].flat().join(' or ')
}

/** Bounds and default of a value. */
export function describeConstraints(schema: JsonSchema): string {
  const { minimum, maximum, minItems, maxItems, minLength, maxLength, pattern, exclusiveMinimum } = schema
  return [
    typeof exclusiveMinimum === 'number' && `above ${exclusiveMinimum}`,
    describeBounds(minimum, maximum, ''),
    describeBounds(minItems, maxItems, ' items'),
    describeBounds(minLength, maxLength, ' characters'),
    pattern,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join('; ')
}

function describeBounds(low: number | undefined, high: number | undefined, unit: string): string | undefined {
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`
  if (low !== undefined) return `at least ${low}${unit}`
  return high === undefined ? undefined : `at most ${high}${unit}`
}
