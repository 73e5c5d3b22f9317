import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { fileKindsOf, findFileRefs } from '../contract/file.ts'
import { describeFields } from '../contract/fixes.ts'
import { id } from '../contract/id.ts'
import type { Operation } from '../contract/operation.ts'
import { fieldSchema, unwrapSchema, type AnySchema } from '../contract/schema-places.ts'

interface MeaningfulArguments {
  readonly args: Readonly<Record<string, unknown>>
  /** Names of those that the request's kind does not read. */
  readonly ignored: readonly string[]
}

/**
 * Arguments without those that say nothing, as some clients fill in every one: what is empty or holds anyhow, where
 * the request's kind does not read it or a file stands for it. Throws 6013 for what the kind needs.
 */
export function removeEmptyArguments(
  { input, read }: Operation,
  filled: Readonly<Record<string, unknown>>,
): MeaningfulArguments {
  const given = Object.fromEntries(
    Object.entries(filled).filter(([name, value]) => value !== '' || !isOptionalId(fieldSchema(input, name))),
  )
  const isRead = Object.entries(read ? read(given) : given).filter(([, value]) => value !== undefined)
  const names = new Set(isRead.map(([name]) => name))
  const inFiles = new Set(findFileRefs(input, given).map(({ insteadOf }) => insteadOf))
  const meant = Object.entries(given).filter(
    ([name, value]) =>
      (names.has(name) && !inFiles.has(name)) || !isEmptyOrDefault(fieldSchema(input, name), value),
  )
  return {
    args: Object.fromEntries(meant),
    ignored: meant.flatMap(([name]) => (names.has(name) ? [] : name)),
  }
}

/** Throws 6016 for what is not read: the service ignores it, as contract 2, 4.1 wants; an agent meant something. */
export function rejectIgnoredArguments({ input }: Operation, unread: readonly string[]): void {
  if (unread.length === 0) return
  const [it, itCounts] = unread.length === 1 ? ['it', 'it counts'] : ['them', 'they count']
  throw new MediaError(6016, `${unread.join(', ')}: not read by a request of this kind`, {
    hint: `Leave ${it} out, or ask so that ${itCounts}: ${describeFields(input, unread)}`,
  })
}

/** Empty, it names nothing, and no file stands for another field by it. */
function isOptionalId(field: AnySchema | undefined): boolean {
  if (field === undefined) return false
  const inner = unwrapSchema(field)
  return inner !== field && (inner === id || fileKindsOf(inner) !== undefined)
}

function isEmptyOrDefault(field: AnySchema | undefined, value: unknown): boolean {
  if (value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0))
    return true
  return field !== undefined && isDeepStrictEqual(value, z.safeParse(field, undefined).data)
}
