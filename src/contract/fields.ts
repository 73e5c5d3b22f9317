import * as z from 'zod'

/**
 * An id of a task or file. Ours are 19 digits, another service's may differ, so only the type is
 * checked: a number is refused because it has already lost digits.
 */
export const id = z
  .string({
    error: (issue) =>
      typeof issue.input === 'number'
        ? 'an id must be given as a string; as a number it has lost digits'
        : undefined,
  })
  .min(1)
  .max(64)

/** Tells whether a text has the form of an id made here; one that has not names nothing, and a database may fail on it. */
export function isOwnId(text: string): boolean {
  return /^\d{19}$/.test(text)
}

const perMillisecond = 1_000_000

let lastTime = 0
let lastSerial = 0

/**
 * Makes a new id: 19 decimal digits, the time in ms (13), then 6 within it. Ascending within this
 * process. Processes start each millisecond at a random serial, so that two of them meet with a
 * chance of one in a million; the primary key refuses a meeting.
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

/** A moment in answers: ISO 8601, UTC. */
export const timestamp = z.iso.datetime()

/** Writes a moment kept as milliseconds since 1970. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export const defaultPageSize = 20
export const maxPageSize = 100

/** Query of a list that is answered by pages. */
export const paging = {
  page: z.coerce.number<number>().int().min(1).max(1_000_000).default(1).describe('From 1'),
  page_size: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(maxPageSize)
    .default(defaultPageSize)
    .describe('Items a page'),
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
