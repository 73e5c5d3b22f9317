import * as z from 'zod'

/** Any schema. */
export type Schema = z.core.$ZodType

/** What is said of a place, or of the nearest place around it; of the whole nothing. */
export function descriptionAt(input: Schema, path: readonly PropertyKey[]): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const schema = schemaAt(input, path.slice(0, length))
    const description = schema && descriptionOf(schema)
    if (description !== undefined) return description.replace(/\.$/, '')
  }
  return undefined
}

function descriptionOf(schema: Schema): string | undefined {
  const own = z.globalRegistry.get(schema)?.description
  return own ?? (isWrapper(schema) ? descriptionOf(schema.unwrap()) : undefined)
}

/** The schema of a place inside another; undefined where that has none, or several. */
export function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
  const [key, ...rest] = path
  if (key === undefined) return schema
  const next = stepInto(unwrap(schema), String(key))
  return next && schemaAt(next, rest)
}

function stepInto(schema: Schema, key: string): Schema | undefined {
  if (schema instanceof z.ZodArray) return schema.element
  if (schema instanceof z.ZodRecord) return schema.valueType
  return schema instanceof z.ZodObject ? fieldOf(schema, key) : undefined
}

/** The schema of a field; undefined where an object has none of that name. */
export function fieldOf({ shape }: z.ZodObject, name: string): Schema | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as Schema) : undefined
}

/** A schema without what makes it optional. */
export function unwrap(schema: Schema): Schema {
  return isWrapper(schema) ? unwrap(schema.unwrap()) : schema
}

const wrappers = [z.ZodOptional, z.ZodDefault, z.ZodPrefault, z.ZodNullable] as const

function isWrapper(schema: Schema): schema is InstanceType<(typeof wrappers)[number]> {
  return wrappers.some((wrapper) => schema instanceof wrapper)
}
