import * as z from 'zod'
import { unwrapSchema } from './suggest-fix.ts'
import { maxIssuesListed } from './validation.ts'

/** Entries that are validated before the issues are counted, or before other work has its turn. */
const blockLength = 256

/** The first entries of lists that were validated in advance, and the schema of an entry. */
const validatedEntries = new WeakMap<
  readonly unknown[],
  { readonly entry: z.ZodType; readonly valid: unknown[] }
>()

const BoundedList: z.core.$constructor<z.ZodArray> = z.core.$constructor(
  'BoundedList',
  (schema: z.ZodArray, definition) => {
    const { init }: { init: (instance: z.ZodArray, definition: z.core.$ZodArrayDef) => void } = z.ZodArray
    init(schema, definition)
    const { _zod: internals } = schema
    const { parse } = internals
    internals.parse = (payload, context) => {
      const { value: given } = payload
      // Zod itself refuses a list that is too long before it looks at the entries.
      if (!Array.isArray(given) || given.length <= blockLength || given.length > maxLength(schema))
        return parse(payload, context)
      const known = validatedEntries.get(given)
      const valid = known?.entry === schema.element ? [...known.valid] : []
      for (let start = valid.length; start < given.length; start += blockLength) {
        const block = parse({ value: given.slice(start, start + blockLength), issues: [] }, context)
        if (block instanceof Promise) throw new z.core.$ZodAsyncError()
        for (const issue of block.issues) {
          const [index, ...inside] = issue.path ?? []
          payload.issues.push({ ...issue, path: [start + Number(index), ...inside] })
        }
        if (payload.issues.length >= maxIssuesListed) return payload
        if (Array.isArray(block.value)) valid.push(...(block.value as unknown[]))
      }
      payload.value = valid
      return payload
    }
  },
)

function maxLength({ _zod: internals }: z.ZodArray): number {
  return Math.min(...z.core.util.sizeCaps(internals.def.checks).map(([size]) => size))
}

/**
 * A list like `z.array`, whose validation stops at the first block of entries with issues enough to list: a request may
 * contain a hundred thousand invalid entries, and each of their issues costs more than a valid entry.
 */
export function list<Entry extends z.core.SomeType>(entry: Entry): z.ZodArray<Entry> {
  return new BoundedList({
    type: 'array',
    element: entry as unknown as z.ZodType,
  }) as unknown as z.ZodArray<Entry>
}

/**
 * Validates the entries of long lists at the top level of an object in advance, so that its schema need not validate
 * them again. `rest` lets other work have its turn; it is awaited every few milliseconds. Invalid entries are left for
 * the schema to report.
 */
export async function validateLongLists(
  schema: z.ZodObject,
  given: object,
  rest: () => Promise<void>,
): Promise<void> {
  for (const [name, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
    const [inner, entries] = [unwrapSchema(field), (given as Record<string, unknown>)[name]]
    if (!(inner instanceof BoundedList) || !Array.isArray(entries)) continue
    if (entries.length <= blockLength || entries.length > maxLength(inner)) continue
    const entry = inner.element as z.ZodType
    const valid: unknown[] = []
    validatedEntries.set(entries, { entry, valid })
    for (const one of entries as unknown[]) {
      if (valid.length % blockLength === 0) await rest()
      const parsed = entry.safeParse(one)
      if (!parsed.success) break
      valid.push(parsed.data)
    }
  }
}
