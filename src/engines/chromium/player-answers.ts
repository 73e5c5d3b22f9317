import * as z from 'zod'
import { Refused } from './cdp-pipe.ts'
import { cut, type ParticleProblem } from './particle.ts'

/** How far a particle was played. */
export interface Played {
  /** Times played. */
  readonly done: number
  /** A frame must be drawn before it goes on. */
  readonly turn: boolean
  /** Nothing of it changes any more, as no clock, script or animation goes on. */
  readonly still: boolean
  readonly problems: readonly ParticleProblem[]
}

/** What came of a particle that has loaded, or was drawn. */
export interface Settled {
  /** It must be drawn now, as more may be told of it. */
  readonly again: boolean
  readonly problems: readonly ParticleProblem[]
}

const changed = 'its script changes what the language or the page consists of'

const problem = z
  .object({ message: z.string(), line: z.int().positive().optional() })
  .transform(({ message, line }) => ({ message: cut(message), ...(line !== undefined && { line }) }))
const problems = z.array(problem).max(100)
const settled = z.object({ again: z.boolean(), problems })
const played = z.object({ done: z.int().positive(), turn: z.boolean(), still: z.boolean(), problems })

/** What a player tells of itself. Throws `Refused` where its page has changed what the player stands on. */
export function settledAnswer(answer: unknown): Settled {
  const read = settled.safeParse(answer)
  if (!read.success) throw new Refused(changed)
  return read.data
}

/** How far a player came with so many times: one at least. Throws `Refused` as `settledAnswer` does. */
export function playedAnswer(answer: unknown, times: number): Played {
  const read = played.safeParse(answer)
  if (!read.success || read.data.done > times) throw new Refused(changed)
  return read.data
}
