import * as z from 'zod'

/** A JSON Schema (2020-12) as zod writes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Takes bounds away that only say "an integer that is exact". */
export function dropSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/**
 * The JSON Schema of what a request may carry (`input`) or an answer carries (`output`). Objects are
 * open: requests may have fields that are not read, answers may gain some.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...published } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      dropSafeBounds(jsonSchema)
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // The format says it in a word.
      if (jsonSchema.format) delete jsonSchema.pattern
    },
  })
  return published
}

/** Schemas inside a schema, each with the step to it: `.name`, `[]`, or none for an alternative. */
export function* innerSchemas(schema: JsonSchema): Generator<{ inner: JsonSchema; step: string }> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* one(field, `.${name}`)
  for (const item of [schema.items ?? [], schema.prefixItems ?? []].flat()) yield* one(item, '[]')
  yield* one(schema.additionalProperties, '.*')
  for (const either of [schema.anyOf, schema.oneOf, schema.allOf].flat()) yield* one(either, '')
}

function* one(inner: JsonSchema | boolean | undefined, step: string) {
  if (typeof inner === 'object') yield { inner, step }
}
