import { availableParallelism } from 'node:os'
import { MediaError } from '../../contract/errors.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'

/** How to fetch frames at arbitrary times. */
interface FetchFramesOptions {
  /** Returns the frame at a time in ms as RGBA (4 bytes per pixel), or undefined if it does not decode. */
  readonly fetch: (ms: number, signal: AbortSignal) => Promise<Uint8Array | undefined>
  /** Aborts when the time for all frames is over. */
  readonly deadline: AbortSignal
  readonly signal: AbortSignal | undefined
}

/** Replaces a frame that was not decoded in time. The text is shown in its cell. */
export const frameTimedOut = 'not decoded in time'

/**
 * Fetches the frames at these times (ms), in their order. After the deadline no fetch starts, and running
 * ones are aborted. Throws 6402 if no frame was decoded in time and 6021 if none decodes.
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
  // Rejects only after every fetch has ended, so that nothing reads the file any more.
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
