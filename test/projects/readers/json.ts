import type * as z from 'zod'
import { ProjectError } from './read-project.ts'

/** Parses a JSON file. Throws `syntax` for malformed text and `value` with the path where the schema is broken. */
export function parseProjectJson<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    throw new ProjectError('syntax', 'file', String(error))
  }
  const { success, data: parsed, error } = schema.safeParse(data)
  if (success) return parsed
  const [issue] = error.issues
  throw new ProjectError('value', issue?.path.join('/') ?? 'file', issue?.message ?? 'is not valid')
}
