import type { Bounds } from '../geometry.ts'
import {
  boxArea,
  boxHeight,
  boxWidth,
  intersectBoxes,
  intersectionOverUnion,
  type LineBox,
  roundOutwards,
  type TextBox,
  translateBox,
} from './box.ts'
import { edgePoints, type EdgePoints, findBestMatch, type Offset } from './edge-matching.ts'
import { cropLuma, type Luma, type LumaCrop } from './luma.ts'
import { strokeSearchBox } from './stroke-mask.ts'
import { lineMembership } from './tilt.ts'

/** Consecutive samples after which a track ends: without a match, and matched only by edges, without a detection. */
const maxMissed = 2
const maxUnconfirmed = 3

/** Tracks lines of text through samples of a video. */
interface TextTracker {
  /** Adds the next sample and returns the tracks that ended before it. */
  addSample(sample: {
    readonly frame: number
    readonly luma: Luma
    readonly boxes: readonly TextBox[]
  }): TextTrack[]
  /** Tracks that have not ended. */
  readonly live: readonly TextTrack[]
}

/** Creates a tracker without tracks. Samples must be added in the order of their frames. */
export function createTextTracker(): TextTracker {
  let live: TextTrack[] = []
  return {
    addSample({ frame, luma, boxes }) {
      const free = new Set(boxes)
      for (const track of live) followTrack(track, { frame, luma, free })
      for (const track of live.filter(({ missed }) => missed > 0)) findMovedText(track, { frame, luma, free })
      const ended = live.filter((track) => track.missed > maxMissed || track.unconfirmed > maxUnconfirmed)
      live = live.filter((track) => !ended.includes(track))
      for (const box of free) live.push(startTrack({ frame, luma, box }))
      return ended
    },
    get live() {
      return live
    },
  }
}

/** A line of text tracked from sample to sample. */
export interface TextTrack {
  readonly detections: TextDetection[]
  /** Box of the first detection. */
  readonly origin: LineBox
  /** Edge points of its strokes in the first sample. */
  readonly strokes: EdgePoints
  /** Crops of the text and its surroundings in the first samples, and in the last detected ones. */
  readonly first: LumaCrop[]
  readonly last: LumaCrop[]
  /** Samples since the last match. */
  missed: number
  /** Samples since the last detection in which only its edges matched. */
  unconfirmed: number
}

/** Crops kept from each end of a track. */
const cropsPerEnd = 3

/** Least edge similarity of the same text: at its expected position, there with a detected box, and elsewhere. */
const minSimilarity = { found: 0.6, boxed: 0.55, elsewhere: 0.6 }

/** Least contrast of a match relative to the first sample. */
const minStrength = 0.4

/** Search radius around the expected position, px, for still and for moving text. */
const matchRadius = { still: 1, moving: 4 }

/** Least share of a text's edge points that must be inside the picture to match it. */
const minMatchedShare = 0.08

/** A sample of a video, in which texts are tracked. */
interface TextSample {
  readonly frame: number
  readonly luma: Luma
  /** Boxes that belong to no track yet. */
  readonly free: Set<TextBox>
}

/** Starts a track at a box detected in a sample. */
function startTrack({ frame, luma, box }: { frame: number; luma: Luma; box: TextBox }): TextTrack {
  const track: TextTrack = {
    ...{ detections: [], origin: box, strokes: edgePoints(cropLuma(luma, box), lineMembership(box)) },
    ...{ first: [], last: [], missed: 0, unconfirmed: 0 },
  }
  addDetection(track, { frame, luma, offset: { x: 0, y: 0 }, box })
  return track
}

/** Searches for a text at its expected position, by its edges. */
function followTrack(track: TextTrack, { frame, luma, free }: TextSample): void {
  const around = expectedOffset(track, frame)
  const best = findBestMatch(track.strokes, luma, {
    around,
    reach: isMoving(track) ? matchRadius.moving : matchRadius.still,
  })
  const expected = translateBox(track.origin, best.offset.x, best.offset.y)
  const box = [...free].toSorted(
    (one, other) => intersectionOverUnion(other, expected) - intersectionOverUnion(one, expected),
  )[0]
  const boxed = box && coversText(box, expected) ? box : undefined
  const enough = best.visibleShare >= minMatchedShare && best.strength >= minStrength
  if (enough && best.similarity >= (boxed ? minSimilarity.boxed : minSimilarity.found)) {
    if (boxed) free.delete(boxed)
    addDetection(track, { frame, luma, offset: best.offset, box: boxed })
  } else track.missed += 1
}

/** Whether a detected box is that of the text expected at the box `expected`. */
function coversText(box: Bounds, expected: Bounds): boolean {
  const both = boxArea(intersectBoxes(box, expected))
  return both > 0.6 * boxArea(box) && both > 0.5 * boxArea(expected)
}

/** Searches boxes of similar size for a text that started to move or changed its movement. */
function findMovedText(track: TextTrack, { frame, luma, free }: TextSample): void {
  const before = track.detections.at(-1)
  if (!before) return
  const candidates = [...free].filter((box) => isSimilarSize(box, track.origin))
  const tried = candidates.map((box) => {
    const around = {
      x: (box.left + box.right - track.origin.left - track.origin.right) / 2,
      y: (box.top + box.bottom - track.origin.top - track.origin.bottom) / 2,
    }
    return { box, ...findBestMatch(track.strokes, luma, { around, reach: matchRadius.moving }) }
  })
  const [best] = tried.toSorted((one, other) => other.similarity - one.similarity)
  if (!best || best.similarity < minSimilarity.elsewhere || best.visibleShare < minMatchedShare) return
  free.delete(best.box)
  track.missed = 0
  addDetection(track, { frame, luma, offset: best.offset, box: best.box })
}

function isSimilarSize(box: Bounds, other: Bounds): boolean {
  const across = boxWidth(box) / boxWidth(other)
  const down = boxHeight(box) / boxHeight(other)
  return across > 0.8 && across < 1.25 && down > 0.7 && down < 1.4
}

function addDetection(
  track: TextTrack,
  { frame, luma, offset, box }: { frame: number; luma: Luma; offset: Offset; box: TextBox | undefined },
): void {
  track.detections.push({ frame, offset, box })
  track.missed = 0
  track.unconfirmed = box ? 0 : track.unconfirmed + 1
  const expected = {
    ...translateBox(roundOutwards(track.origin), offset.x, offset.y),
    tilt: track.origin.tilt,
  }
  const part = cropLuma(luma, strokeSearchBox(expected))
  if (track.first.length < cropsPerEnd) track.first.push(part)
  if (!box) return
  track.last.push(part)
  if (track.last.length > cropsPerEnd) track.last.shift()
}

/** A text in one sample. */
export interface TextDetection {
  readonly frame: number
  /** Offset from its first position, px. */
  readonly offset: Offset
  /** The detected box; undefined if only the edges matched. */
  readonly box: TextBox | undefined
}

/** Largest offset of a still text, px. */
const maxStillOffset = 1.5

/** Detections of a text, ordered by frame. */
interface Detections {
  readonly detections: readonly TextDetection[]
}

/** Whether a text moves: any detection is more than 1.5 px from the first position. */
export function isMoving({ detections }: Detections): boolean {
  return detections.some(({ offset }) => Math.hypot(offset.x, offset.y) > maxStillOffset)
}

/** Returns the offset of a text at a frame, px: interpolated between detections, or extrapolated from the nearest ones. */
export function expectedOffset({ detections }: Detections, frame: number): Offset {
  const first = detections[0]
  if (!first) return { x: 0, y: 0 }
  const after = detections.findIndex((one) => one.frame >= frame)
  const upper = after < 0 ? detections.length - 1 : Math.max(after, 1)
  // Extrapolate over more samples, because offsets are whole pixels.
  const span = after <= 0 ? 3 : 1
  const from = detections[after === 0 ? 0 : Math.max(0, upper - span)] ?? first
  const to = detections[after === 0 ? Math.min(span, detections.length - 1) : upper] ?? first
  if (from.frame === to.frame) return from.offset
  const share = (frame - from.frame) / (to.frame - from.frame)
  return {
    x: from.offset.x + share * (to.offset.x - from.offset.x),
    y: from.offset.y + share * (to.offset.y - from.offset.y),
  }
}
