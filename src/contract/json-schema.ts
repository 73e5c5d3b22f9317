import * as z from 'zod'

/** A JSON Schema (2020-12) as zod writes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Removes bounds that only express the range of safe integers. */
export function dropSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/**
 * JSON Schema of a request (`input`) or response (`output`). Objects are open: requests may contain fields that are
 * ignored, and responses may gain fields.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...published } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      dropSafeBounds(jsonSchema)
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // The format implies the pattern.
      if (jsonSchema.format) delete jsonSchema.pattern
    },
  })
  return published
}

/** Schemas inside a schema, each with its path step: `.name`, `[]`, or empty for an alternative. */
export function* innerSchemas(schema: JsonSchema): Generator<{ inner: JsonSchema; step: string }> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* one(field, `.${name}`)
  for (const item of [schema.items ?? [], schema.prefixItems ?? []].flat()) yield* one(item, '[]')
  yield* one(schema.additionalProperties, '.*')
  for (const either of [schema.anyOf, schema.oneOf, schema.allOf].flat()) yield* one(either, '')
}

function* one(inner: JsonSchema | boolean | undefined, step: string) {
  if (typeof inner === 'object') yield { inner, step }
}
