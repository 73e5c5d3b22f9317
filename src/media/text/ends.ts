import { cropLuma, cropAgain, subtractCrop, meanCrop, type LumaCrop } from './luma.ts'
import type { LumaRing } from './luma-ring.ts'
import { strokeSearchBox } from './ink.ts'
import { lowerMedian, findOnset } from './onset.ts'
import { expectedOffset, isMoving } from './sightings.ts'
import { findBestMatch, edgePoints } from './strokes.ts'
import { lineMembership } from './tilt.ts'
import type { TextTrack } from './track.ts'

/** Where a text begins or ends, and what is known of its picture there. */
export interface TextEnd {
  /** The first or last frame that shows it. */
  readonly frame: number
  /** The text's surroundings, and those less what was there without it, where that is known. */
  readonly pictures: readonly [LumaCrop, ...LumaCrop[]]
}

/** Values at the settled side that tell the whole text. */
const settledFrames = 5

/** A way through frames: from where a text is not yet to where it is settled. */
interface SearchPath {
  readonly frames: readonly number[]
  /** Pictures of the text from that end. */
  readonly pictures: readonly LumaCrop[]
  readonly sampled: number
}

/**
 * Finds the first frame that shows a text, in what is kept of the frames, no further back than `before` frames. Where
 * not all are kept it is told from the first on that may show it.
 */
export function findBeginning(track: TextTrack, ring: LumaRing, before: number): TextEnd {
  const sampled = track.detections[0]?.frame ?? 0
  const last = Math.min(track.detections.at(-1)?.frame ?? sampled, sampled + before / 2)
  const from = Math.max(ring.first, sampled - before)
  const end = locateEnd(track, ring, {
    frames: frameRange(from, Math.floor(last)),
    pictures: track.first,
    sampled,
  })
  // What is kept stands for the frames after it: those before it may show the text as well.
  return { ...end, frame: Math.max(0, end.frame - (ring.interval - 1)) }
}

/** Finds the last frame that shows a text, as `findBeginning` does the first. */
export function findEnding(track: TextTrack, ring: LumaRing, after: number): TextEnd {
  const sampled = track.detections.findLast(({ box }) => box)?.frame ?? 0
  const first = Math.max(track.detections[0]?.frame ?? 0, ring.first, sampled - after / 2)
  const to = Math.min(ring.end - 1, sampled + after)
  const frames = frameRange(Math.ceil(first), to).toReversed()
  return locateEnd(track, ring, { frames, pictures: track.last, sampled })
}

function frameRange(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}

function locateEnd(track: TextTrack, ring: LumaRing, { frames, pictures, sampled }: SearchPath): TextEnd {
  const [one, ...more] = pictures
  if (!one) throw new TypeError('a text without a picture')
  // Each was cut where the text was then; together they lie where it was first seen.
  const picture = { ...meanCrop([one, ...more]), ...cropCorner(track) }
  const strokes = edgePoints(cropAgain(picture, track.origin), lineMembership(track.origin))
  const reach = isMoving(track) ? 1 : 0
  const amounts = frames.map((frame) => {
    const luma = ring.at(frame)
    if (!luma) return 0
    const { strength: amount, visibleShare: inside } = findBestMatch(strokes, luma, {
      around: expectedOffset(track, frame),
      reach,
    })
    return inside > 0.02 ? amount : 0
  })
  const onset = findOnset(amounts, settledFrames)
  if (!onset) {
    const whole = lowerMedian(amounts.slice(0, settledFrames)) > 0.7
    return { frame: whole ? (frames[0] ?? sampled) : sampled, pictures: [picture] }
  }
  const without = frames[onset.lastBefore - 1] ?? frames[onset.lastBefore]
  const luma = without === undefined ? undefined : ring.at(without)
  const bare = luma && cropLuma(luma, strokeSearchBox(wholePixelOrigin(track)))
  return {
    frame: frames[onset.firstVisible] ?? sampled,
    pictures: bare && !isMoving(track) ? [picture, subtractCrop(picture, bare)] : [picture],
  }
}

function wholePixelOrigin({ origin }: TextTrack) {
  const { left, top, right, bottom } = origin
  return {
    ...{ left: Math.floor(left), top: Math.floor(top), right: Math.ceil(right), bottom: Math.ceil(bottom) },
    tilt: origin.tilt,
  }
}

function cropCorner(track: TextTrack): { left: number; top: number } {
  const { left, top } = strokeSearchBox(wholePixelOrigin(track))
  return { left: Math.floor(left), top: Math.floor(top) }
}
