import * as z from 'zod'

/** Any schema. */
export type AnySchema = z.core.$ZodType

/** What is said of a place, or of the nearest place around it; of the whole nothing. */
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

/** The schema of a place inside another; undefined where that has none, or several. */
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

/** The schema of a field; undefined where an object has none of that name. */
export function fieldSchema({ shape }: z.ZodObject, name: string): AnySchema | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as AnySchema) : undefined
}

/** A schema without what makes it optional. */
export function unwrapSchema(schema: AnySchema): AnySchema {
  return isWrapper(schema) ? unwrapSchema(schema.unwrap()) : schema
}

const wrappers = [z.ZodOptional, z.ZodDefault, z.ZodPrefault, z.ZodNullable] as const

function isWrapper(schema: AnySchema): schema is InstanceType<(typeof wrappers)[number]> {
  return wrappers.some((wrapper) => schema instanceof wrapper)
}
