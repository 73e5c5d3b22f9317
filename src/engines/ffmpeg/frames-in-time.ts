import { availableParallelism } from 'node:os'
import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'

/** How frames are fetched that lie anywhere. */
interface FetchFramesOptions {
  /** Four-byte pixels of the frame at a time; undefined where none decodes. */
  readonly fetch: (ms: number, signal: AbortSignal) => Promise<Uint8Array | undefined>
  /** Aborted when the time for all of them is over. */
  readonly deadline: AbortSignal
  readonly signal: AbortSignal | undefined
}

/** Stands for a frame that did not come in time, and says so. */
export const frameTimedOut = 'not decoded in time'

/**
 * Frames at these times, in their order, as many as come in time: once that is spent none is begun, and those under way
 * end. Throws 6402 where none came in time, 6021 where none decodes.
 */
export async function fetchFrames(
  times: readonly number[],
  { fetch, deadline: spent, signal }: FetchFramesOptions,
): Promise<(Uint8Array | typeof frameTimedOut | undefined)[]> {
  const given = signal ? AbortSignal.any([signal, spent]) : spent
  const inTurn = limitConcurrency(availableParallelism())
  const fetched = await Promise.allSettled(
    times.map((ms) =>
      inTurn(async () => {
        if (spent.aborted) return frameTimedOut
        try {
          return await fetch(ms, given)
        } catch (error) {
          if (spent.aborted && !signal?.aborted) return frameTimedOut
          throw error
        }
      }),
    ),
  )
  // Only now, when none reads the file any more.
  const frames = fetched.map((one) => {
    if (one.status === 'fulfilled') return one.value
    throw one.reason
  })
  if (frames.some((one) => one instanceof Uint8Array)) return frames
  if (frames.includes(frameTimedOut)) {
    throw new MediaError(6402, 'no frame of these could be decoded in time', {
      hint: 'Ask for fewer times at once, or again while the machine does less.',
    })
  }
  throw new MediaError(6021, 'no frame of these could be decoded', { hint: 'Ask for frames at other times.' })
}
