import * as z from 'zod'
import { ProtocolError } from './cdp-pipe.ts'
import { truncateMessage, type ParticleProblem } from './particle.ts'

/** How far a particle was played. */
export interface AdvanceResult {
  /** Times played. */
  readonly done: number
  /** A frame must be drawn before it goes on. */
  readonly turn: boolean
  /** Nothing of it changes any more, as no clock, script or animation goes on. */
  readonly still: boolean
  readonly problems: readonly ParticleProblem[]
}

/** What came of a particle that has loaded, or was drawn. */
export interface SettleResult {
  /** It must be drawn now, as more may be told of it. */
  readonly again: boolean
  readonly problems: readonly ParticleProblem[]
}

const tamperedMessage = 'its script changes what the language or the page consists of'

const problemSchema = z
  .object({ message: z.string(), line: z.int().positive().optional() })
  .transform(({ message, line }) => ({
    message: truncateMessage(message),
    ...(line !== undefined && { line }),
  }))
const problemsSchema = z.array(problemSchema).max(100)
const settleSchema = z.object({ again: z.boolean(), problems: problemsSchema })
const advanceSchema = z.object({
  done: z.int().positive(),
  turn: z.boolean(),
  still: z.boolean(),
  problems: problemsSchema,
})

/** What a player tells of itself. Throws `ProtocolError` where its page has changed what the player stands on. */
export function parseSettleResult(answer: unknown): SettleResult {
  const read = settleSchema.safeParse(answer)
  if (!read.success) throw new ProtocolError(tamperedMessage)
  return read.data
}

/** How far a player came with so many times: one at least. Throws `ProtocolError` as `parseSettleResult` does. */
export function parseAdvanceResult(answer: unknown, times: number): AdvanceResult {
  const read = advanceSchema.safeParse(answer)
  if (!read.success || read.data.done > times) throw new ProtocolError(tamperedMessage)
  return read.data
}
