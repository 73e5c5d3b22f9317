import * as z from 'zod'
import { fileKindsOf } from '../contract/file.ts'
import { dropSafeBounds } from '../contract/json-schema.ts'

/** A JSON Schema object as tools publish it. */
export interface PublishedSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** From here on, a bound only keeps out what cannot be stored. */
const maxInt32 = 2 ** 31 - 1

/** What file fields take where the client works on this machine. */
export const pathOrIdText = 'path, or file id'

/**
 * The JSON Schema agents see of a tool's input, from the zod contract alone: strict objects, no
 * `$ref`, no bounds that only say "a 32-bit or safe integer", and file fields that take paths.
 */
export function publishInputSchema(input: z.ZodObject): PublishedSchema {
  const { $schema: _, ...published } = z.toJSONSchema(input, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (fileKindsOf(zodSchema)) {
        delete jsonSchema.minLength
        delete jsonSchema.maxLength
        jsonSchema.description = `${jsonSchema.description ?? 'File'}: ${pathOrIdText}`
      }
      dropSafeBounds(jsonSchema)
      if ((jsonSchema.maximum ?? 0) >= maxInt32) delete jsonSchema.maximum
      if (jsonSchema.type === 'object' && jsonSchema.properties) jsonSchema.additionalProperties = false
    },
  })
  return { ...published, type: 'object' }
}
