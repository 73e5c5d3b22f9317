import { crop, cut, difference, meanOf, type Crop } from './luma.ts'
import type { LumaRing } from './luma-ring.ts'
import { inkSearch } from './ink.ts'
import { medianOf, onsetOf } from './onset.ts'
import { expectedAt, isMoving } from './sightings.ts'
import { bestShowing, strokesOf } from './strokes.ts'
import { inLine } from './tilt.ts'
import type { Track } from './track.ts'

/** Where a text begins or ends, and what is known of its picture there. */
export interface End {
  /** The first or last frame that shows it. */
  readonly frame: number
  /** The text's surroundings, and those less what was there without it, where that is known. */
  readonly pictures: readonly [Crop, ...Crop[]]
}

/** Values at the settled side that tell the whole text. */
const settled = 5

/** A way through frames: from where a text is not yet to where it is settled. */
interface Way {
  readonly frames: readonly number[]
  /** Pictures of the text from that end. */
  readonly pictures: readonly Crop[]
  readonly sampled: number
}

/**
 * Finds the first frame that shows a text, in what is kept of the frames, no further back than `before` frames. Where
 * not all are kept it is told from the first on that may show it.
 */
export function beginningOf(track: Track, ring: LumaRing, before: number): End {
  const sampled = track.sightings[0]?.frame ?? 0
  const last = Math.min(track.sightings.at(-1)?.frame ?? sampled, sampled + before / 2)
  const from = Math.max(ring.first, sampled - before)
  const end = endOn(track, ring, { frames: between(from, Math.floor(last)), pictures: track.first, sampled })
  // What is kept stands for the frames after it: those before it may show the text as well.
  return { ...end, frame: Math.max(0, end.frame - (ring.every - 1)) }
}

/** Finds the last frame that shows a text, as `beginningOf` does the first. */
export function endingOf(track: Track, ring: LumaRing, after: number): End {
  const sampled = track.sightings.findLast(({ box }) => box)?.frame ?? 0
  const first = Math.max(track.sightings[0]?.frame ?? 0, ring.first, sampled - after / 2)
  const to = Math.min(ring.end - 1, sampled + after)
  const frames = between(Math.ceil(first), to).toReversed()
  return endOn(track, ring, { frames, pictures: track.last, sampled })
}

function between(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}

function endOn(track: Track, ring: LumaRing, { frames, pictures, sampled }: Way): End {
  const [one, ...more] = pictures
  if (!one) throw new TypeError('a text without a picture')
  // Each was cut where the text was then; together they lie where it was first seen.
  const picture = { ...meanOf([one, ...more]), ...cornerOf(track) }
  const strokes = strokesOf(cut(picture, track.origin), inLine(track.origin))
  const reach = isMoving(track) ? 1 : 0
  const amounts = frames.map((frame) => {
    const luma = ring.at(frame)
    if (!luma) return 0
    const { amount, inside } = bestShowing(strokes, luma, { around: expectedAt(track, frame), reach })
    return inside > 0.02 ? amount : 0
  })
  const onset = onsetOf(amounts, settled)
  if (!onset) {
    const whole = medianOf(amounts.slice(0, settled)) > 0.7
    return { frame: whole ? (frames[0] ?? sampled) : sampled, pictures: [picture] }
  }
  const without = frames[onset.from - 1] ?? frames[onset.from]
  const luma = without === undefined ? undefined : ring.at(without)
  const bare = luma && crop(luma, inkSearch(wholeOrigin(track)))
  return {
    frame: frames[onset.visible] ?? sampled,
    pictures: bare && !isMoving(track) ? [picture, difference(picture, bare)] : [picture],
  }
}

function wholeOrigin({ origin }: Track) {
  const { left, top, right, bottom } = origin
  return {
    ...{ left: Math.floor(left), top: Math.floor(top), right: Math.ceil(right), bottom: Math.ceil(bottom) },
    tilt: origin.tilt,
  }
}

function cornerOf(track: Track): { left: number; top: number } {
  const { left, top } = inkSearch(wholeOrigin(track))
  return { left: Math.floor(left), top: Math.floor(top) }
}
