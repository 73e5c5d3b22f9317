import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { fieldOf, toldFields } from '../contract/fixes.ts'
import type { Operation } from '../contract/operation.ts'

/**
 * Refuses what the request's kind does not read. The service ignores it, as contract 2, 4.1 wants, and charges; an
 * agent meant something by it. Throws 6016, and 6013 for what the kind needs.
 */
export function refuseUnread({ input, read }: Operation, args: Readonly<Record<string, unknown>>): void {
  if (!read) return
  const kept = read(args)
  const unread = Object.keys(args).filter(
    (name) => kept[name] === undefined && !saysNothing(fieldOf(input, name), args[name]),
  )
  if (unread.length === 0) return
  const it = unread.length === 1 ? 'it' : 'them'
  throw new MediaError(6016, `${unread.join(', ')}: not read by a request of this kind`, {
    hint: `Leave ${it} out, or ask so that ${unread.length === 1 ? 'it counts' : 'they count'}: ${toldFields(input, unread)}`,
  })
}

/** What holds anyhow, and an empty list: some clients fill in every argument. */
function saysNothing(field: z.core.$ZodType | undefined, value: unknown): boolean {
  if (Array.isArray(value) && value.length === 0) return true
  return field !== undefined && isDeepStrictEqual(value, z.safeParse(field, undefined).data)
}
