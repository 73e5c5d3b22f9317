import { type LineBox, roundOutwards } from './box.ts'
import { expectedOffset, isMoving, type TextTrack } from './detections.ts'
import { edgePoints, findBestMatch } from './edge-matching.ts'
import { cropAgain, cropLuma, type LumaCrop, type LumaRing, meanCrop, subtractCrop } from './luma.ts'
import { strokeSearchBox } from './stroke-mask.ts'
import { lineMembership } from './tilt.ts'

/** Beginning or end of a text. */
export interface TextEnd {
  /** The first or last frame that shows it. */
  readonly frame: number
  /** Mean crop of the text and its surroundings; second, if known, its difference from the picture without the text. */
  readonly pictures: readonly [LumaCrop, ...LumaCrop[]]
}

/** Number of frames with the whole text whose median strength is the full level. */
const settledFrames = 5

/** Frames to search, from those without the text to those with the whole text. */
interface SearchPath {
  readonly frames: readonly number[]
  /** Crops of the text from this end. */
  readonly pictures: readonly LumaCrop[]
  /** First or last frame in which the text was detected. */
  readonly sampled: number
}

/**
 * Finds the first frame that shows a text, at most `before` frames before its first detection. If the ring stores only
 * some frames, returns the earliest frame that may show it.
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
  // A stored frame represents those after it, so the unstored frames before it may show the text too.
  return { ...end, frame: Math.max(0, end.frame - (ring.interval - 1)) }
}

/** Finds the last frame that shows a text, at most `after` frames after its last detection. */
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
  // Each crop follows the text; their mean is placed at the text's first position.
  const picture = { ...meanCrop([one, ...more]), ...cropCorner(track) }
  const strokes = edgePoints(cropAgain(picture, track.origin), lineMembership(track.origin))
  const reach = isMoving(track) ? 1 : 0
  const strengths = frames.map((frame) => {
    const luma = ring.at(frame)
    if (!luma) return 0
    const { strength, visibleShare } = findBestMatch(strokes, luma, {
      around: expectedOffset(track, frame),
      reach,
    })
    return visibleShare > 0.02 ? strength : 0
  })
  const onset = findOnset(strengths, settledFrames)
  if (!onset) {
    const whole = lowerMedian(strengths.slice(0, settledFrames)) > 0.7
    return { frame: whole ? (frames[0] ?? sampled) : sampled, pictures: [picture] }
  }
  const without = frames[onset.lastBefore - 1] ?? frames[onset.lastBefore]
  const luma = without === undefined ? undefined : ring.at(without)
  const cropWithoutText = luma && cropLuma(luma, strokeSearchBox(wholePixelOrigin(track)))
  return {
    frame: frames[onset.firstVisible] ?? sampled,
    pictures:
      cropWithoutText && !isMoving(track) ? [picture, subtractCrop(picture, cropWithoutText)] : [picture],
  }
}

function wholePixelOrigin({ origin }: TextTrack): LineBox {
  return { ...roundOutwards(origin), tilt: origin.tilt }
}

function cropCorner(track: TextTrack): { left: number; top: number } {
  const { left, top } = strokeSearchBox(wholePixelOrigin(track))
  return { left: Math.floor(left), top: Math.floor(top) }
}

/** Linear rise of a text's strength from one level to another, as indices of values. */
interface Onset {
  /** Last index of the lower level. */
  readonly lastBefore: number
  /** First index of the upper level, at which the text is whole. */
  readonly firstFull: number
  /** First index at which the text is visible at all. */
  readonly firstVisible: number
}

/** Least rise of a text that appears, as a share of the upper level. */
const minRise = 0.3

/** Longest rise, in values. */
const maxRiseFrames = 75

/**
 * Finds where a text appears by a least-squares fit of two levels joined by a linear rise.
 * strengths: strength of the text per frame; 1 is the whole text. tailLength: number of last values whose median is
 * the upper level. Returns undefined if no rise fits.
 */
export function findOnset(strengths: readonly number[], tailLength: number): Onset | undefined {
  const count = strengths.length
  const tail = strengths.slice(-Math.max(1, tailLength))
  const upper = lowerMedian(tail)
  const sums = prefixSums(strengths)
  let best:
    | { readonly error: number; readonly from: number; readonly full: number; readonly lower: number }
    | undefined
  const flat = squaredError(sums, { from: 0, to: count, level: upper })
  for (let from = 0; from < count - 1; from += 1) {
    const lower = (sums.values[from + 1] ?? 0) / (from + 1)
    const below = squaredError(sums, { from: 0, to: from + 1, level: lower })
    for (let full = from + 1; full < Math.min(count, from + maxRiseFrames); full += 1) {
      let error = below + squaredError(sums, { from: full, to: count, level: upper })
      for (let at = from + 1; at < full; at += 1) {
        const level = lower + ((upper - lower) * (at - from)) / (full - from)
        error += ((strengths[at] ?? 0) - level) ** 2
      }
      if (!best || error < best.error) best = { error, from, full, lower }
    }
  }
  if (!best || upper - best.lower < minRise * upper || best.error > 0.6 * flat) return undefined
  const { from, full } = best
  return { lastBefore: from, firstFull: full, firstVisible: Math.min(full, from + 1) }
}

interface PrefixSums {
  readonly values: Float64Array
  readonly squares: Float64Array
}

function prefixSums(strengths: readonly number[]): PrefixSums {
  const values = new Float64Array(strengths.length + 1)
  const squares = new Float64Array(strengths.length + 1)
  for (const [index, strength] of strengths.entries()) {
    values[index + 1] = (values[index] ?? 0) + strength
    squares[index + 1] = (squares[index] ?? 0) + strength * strength
  }
  return { values, squares }
}

/** Returns the sum of squared differences between the values at `from` to before `to` and a level. */
function squaredError(
  { values, squares }: PrefixSums,
  { from, to, level }: { readonly from: number; readonly to: number; readonly level: number },
): number {
  const sum = (values[to] ?? 0) - (values[from] ?? 0)
  const square = (squares[to] ?? 0) - (squares[from] ?? 0)
  return square - 2 * level * sum + (to - from) * level * level
}

/** Median of values; of an even count, the lower one of the middle pair. 0 if there are none. */
export function lowerMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
