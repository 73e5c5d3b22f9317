import * as z from 'zod'

/** A value of a marked field, with its path in the input. */
export interface MarkedValue {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** Fields of inputs that are marked in their schema, such as those that name files. */
export class MarkedFields<Mark extends object> {
  readonly #marks = z.registry<Mark>()
  /** Whether values of each schema may contain marked fields. */
  readonly #containing = new WeakMap<z.core.$ZodType, boolean>()

  add(schema: z.ZodType, mark: Mark): void {
    this.#marks.add(schema, mark as never)
  }

  /** Returns the mark of a schema itself. */
  markOf(schema: z.core.$ZodType): Mark | undefined {
    return this.#marks.get(schema as z.ZodType) as Mark | undefined
  }

  /** Whether values of a schema may contain marked fields. */
  mayContain(schema: z.core.$ZodType): boolean {
    const known = this.#containing.get(schema)
    if (known !== undefined) return known
    const found =
      this.markOf(schema) !== undefined || innerSchemasOf(schema).some((one) => this.mayContain(one))
    this.#containing.set(schema, found)
    return found
  }

  /** Finds the values of marked fields, in order, by walking value and schema together. */
  *find(
    schema: z.core.$ZodType,
    value: unknown,
    path: readonly (string | number)[] = [],
  ): Generator<MarkedValue & { readonly mark: Mark }> {
    // A request may contain a hundred thousand regions, which have no marked fields.
    if (value === undefined || value === null || !this.mayContain(schema)) return
    const mark = this.markOf(schema)
    if (mark) {
      yield { path, mark, value }
    } else if (isWrapper(schema)) {
      yield* this.find(schema.unwrap(), value, path)
    } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
      for (const [index, item] of value.entries()) yield* this.find(schema.element, item, [...path, index])
    } else if (schema instanceof z.ZodObject && typeof value === 'object') {
      for (const [key, field] of Object.entries(schema.shape))
        yield* this.find(field, (value as Record<string, unknown>)[key], [...path, key])
    } else if (schema instanceof z.ZodRecord && typeof value === 'object') {
      for (const [key, item] of Object.entries(value))
        yield* this.find(schema.valueType, item, [...path, key])
    }
  }
}

function isWrapper(schema: z.core.$ZodType): schema is z.ZodOptional | z.ZodDefault | z.ZodNullable {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
}

/** The schemas of the values inside, for the kinds of schemas that are walked. */
function innerSchemasOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (isWrapper(schema)) return [schema.unwrap()]
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodObject) return Object.values(schema.shape)
  return schema instanceof z.ZodRecord ? [schema.valueType] : []
}
