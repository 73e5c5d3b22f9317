import type { PatchesAt } from '../frame.ts'
import { framesOf, type Film } from './film.ts'

/** Time beside one in which a place is treated, in ticks, in which what lay there may come or go faintly. */
const faint = 6

/**
 * How far a frame can be taken for background where nothing of it is treated, up to 1: the less, the sooner before it
 * or after it something else is. What fades is faint beside its time, and codecs leave traces of it.
 */
export function trustOf(patchesAt: PatchesAt, index: number, film: Film): number {
  const patches = patchesAt(index)
  const most = framesOf(film, faint)
  for (let step = 1; step <= most; step += 1) {
    const isBeside = [patchesAt(index - step), patchesAt(index + step)].some(
      (others) => others !== patches && others.length > 0,
    )
    if (isBeside) return step / (most + 1)
  }
  return 1
}
