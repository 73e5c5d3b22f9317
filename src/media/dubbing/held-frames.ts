import type { Rational } from '../../contract/media-facts.ts'
import { nearestFrame } from '../frame-rate.ts'

/** A time of a video at which its picture is held; ms, `at` on the time of the source. */
export interface FreezePoint {
  readonly at: number
  readonly ms: number
}

/** A frame that is shown for longer: its index, and the number of further frames that show it. */
export interface HeldFrame {
  readonly frame: number
  readonly extra: number
}

/**
 * Returns the frames that are held, in order, at most one entry each. A point holds the last frame that starts before it,
 * for its own length rounded to whole frames. Times in ms are exact enough for that at any usual rate.
 *
 * @param picture rate, and number of frames from the start of the file
 */
export function heldFrames(
  points: readonly FreezePoint[],
  { rate, count }: { readonly rate: Rational; readonly count: number },
): HeldFrame[] {
  const extras = new Map<number, number>()
  for (const { at, ms } of points) {
    const frame = Math.min(count - 1, Math.max(0, nearestFrame(at / 1000, rate) - 1))
    extras.set(frame, (extras.get(frame) ?? 0) + nearestFrame(ms / 1000, rate))
  }
  return [...extras]
    .map(([frame, extra]) => ({ frame, extra }))
    .filter(({ extra }) => extra > 0)
    .toSorted((one, other) => one.frame - other.frame)
}

/** Returns the number of frames that are added before the frame with an index. */
export function framesHeldBefore(held: readonly HeldFrame[], index: number): number {
  return held.reduce((sum, { frame, extra }) => sum + (frame < index ? extra : 0), 0)
}
