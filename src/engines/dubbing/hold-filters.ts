import type { Rational } from '../../contract/media-facts.ts'
import { type HeldFrame } from '../../media/dubbing/held-frames.ts'
import { formatRate } from '../../media/frame-rate.ts'

/**
 * Returns filters that repeat frames. Their input is frames with consecutive numbers as timestamps, from 0; `held`: in order,
 * by those numbers. Frames that are already missing at the end of the input are not repeated.
 */
export function holdFilters(held: readonly HeldFrame[], rate: Rational): string[] {
  if (held.length === 0) return []
  let total = 0
  // From each number on, frames are this much later.
  const delays = held.map(({ frame, extra }) => ({ from: frame + 1, frames: (total += extra) }))
  const last = held.at(-1)?.extra ?? 0
  return [
    `settb=${rate.den}/${rate.num}`,
    String.raw`setpts=N+${delayExpression([{ from: 0, frames: 0 }, ...delays])}`,
    // Fills each gap with the frame before it.
    `fps=fps=${formatRate(rate)}`,
    // After the last frame, there is none that leaves a gap.
    `tpad=stop_mode=clone:stop=${last}`,
  ]
}

/** Returns an expression for the delay of frame N. It is nested by halves, as ffmpeg limits the depth of expressions. */
function delayExpression(delays: readonly { readonly from: number; readonly frames: number }[]): string {
  const middle = delays.length >> 1
  const [only, second] = [delays[0], delays[middle]]
  if (middle === 0 || !second) return String(only?.frames ?? 0)
  const [before, after] = [delays.slice(0, middle), delays.slice(middle)].map(delayExpression)
  return String.raw`if(lt(N\,${second.from})\,${before}\,${after})`
}
