import * as z from 'zod'

/** A moment in answers: ISO 8601, UTC. */
export const timestamp = z.iso.datetime()

/** Writes a moment kept as milliseconds since 1970. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
