import * as z from 'zod'

/**
 * Id of a task or file. Ours have 19 digits; those of another service may differ, so only the type is checked. Numbers
 * are rejected because they have already lost digits.
 */
export const id = z
  .string({
    error: (issue) =>
      typeof issue.input === 'number' ? 'an id must be a string; as a number it has lost digits' : undefined,
  })
  .min(1)
  .max(64)

/** Whether a text has the form of our ids. Other texts name nothing, and some databases fail on them. */
export function isOwnId(text: string): boolean {
  return /^\d{19}$/.test(text)
}

const perMillisecond = 1_000_000

let lastTime = 0
let lastSerial = 0

/**
 * Creates an id of 19 decimal digits: 13 of the time in ms, then a serial number of 6. Ids ascend within a process.
 * Each process starts every millisecond at a random serial, so two processes collide with a probability of one in a
 * million; the primary key rejects the collision.
 *
 * @param now milliseconds since 1970
 * @param random 0 (inclusive) to 1 (exclusive)
 */
export function newId(now: number = Date.now(), random: number = Math.random()): string {
  const time = Math.max(now, lastTime)
  lastSerial = time === lastTime ? lastSerial + 1 : Math.floor(random * perMillisecond)
  lastTime = time
  if (lastSerial >= perMillisecond) {
    lastTime += 1
    lastSerial = 0
  }
  return String(lastTime).padStart(13, '0') + String(lastSerial).padStart(6, '0')
}

/** A time in responses: ISO 8601, UTC. */
export const timestamp = z.iso.datetime()

/** Formats a time given as milliseconds since 1970. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export const defaultPageSize = 20
export const maxPageSize = 100

/** Query parameters of a paged list. */
export const paging = {
  page: z.coerce.number<number>().int().min(1).max(1_000_000).default(1).describe('From 1'),
  page_size: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(maxPageSize)
    .default(defaultPageSize)
    .describe('Items per page'),
}

/** One page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    list: z.array(item),
    total: z.int().describe('Items on all pages'),
    page: z.int(),
    page_size: z.int(),
  })
}
