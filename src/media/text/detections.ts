import type { Bounds } from '../geometry.ts'
import {
  boxArea,
  boxHeight,
  boxWidth,
  intersectBoxes,
  intersectionOverUnion,
  type LineBox,
  type TextBox,
  translateBox,
} from './box.ts'
import { edgePoints, type EdgePoints, findBestMatch, type Offset } from './edge-matching.ts'
import { cropLuma, type Luma, type LumaCrop } from './luma.ts'
import { strokeSearchBox } from './stroke-mask.ts'
import { lineMembership } from './tilt.ts'

/** Samples that a text may miss, or be there by its letters' edges alone. */
const maxMissed = 2
const maxUnconfirmed = 3

/** Follows lines of text through samples of a video that come in order. */
interface TextTracker {
  /** Takes the next sample; answers the tracks that ended before it. */
  addSample(given: {
    readonly frame: number
    readonly luma: Luma
    readonly boxes: readonly TextBox[]
  }): TextTrack[]
  /** The tracks that go on. */
  readonly live: readonly TextTrack[]
}

/** A tracker that has seen nothing yet. */
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

/** A line of text that is followed from sample to sample. */
export interface TextTrack {
  readonly detections: TextDetection[]
  /** Where it was first seen. */
  readonly origin: LineBox
  readonly strokes: EdgePoints
  /** What it and its surroundings looked like in the first samples, and in the last. */
  readonly first: LumaCrop[]
  readonly last: LumaCrop[]
  /** Samples in which it was not seen since. */
  missed: number
  /** Samples in which only its letters were found since the detector found it. */
  unconfirmed: number
}

/** Pictures of a text that are kept from each of its ends. */
const cropsPerEnd = 3

/** Likeness of edges from which a text is the same: at its place, at its place with a box there, elsewhere. */
const minSimilarity = { found: 0.6, boxed: 0.55, elsewhere: 0.6 }

/** Least amount that still is the text, of what it was when it was first seen. */
const minStrength = 0.4

/** Pixels around the expected place that are searched: of what stands, and of what moves. */
const matchRadius = { still: 1, moving: 4 }

/** How much of a text has to be in the picture to be known again. */
const minMatchedShare = 0.08

/** A sample of a video, in which texts are followed. */
interface TextSample {
  readonly frame: number
  readonly luma: Luma
  /** Boxes that belong to no track yet. */
  readonly free: Set<TextBox>
}

/** A track of a text that was found in a sample. */
function startTrack({ frame, luma, box }: { frame: number; luma: Luma; box: TextBox }): TextTrack {
  const track: TextTrack = {
    ...{ detections: [], origin: box, strokes: edgePoints(cropLuma(luma, box), lineMembership(box)) },
    ...{ first: [], last: [], missed: 0, unconfirmed: 0 },
  }
  addDetection(track, { frame, luma, offset: { x: 0, y: 0 }, box })
  return track
}

/** Looks for a text where it is expected, by its letters' edges. */
function followTrack(track: TextTrack, { frame, luma, free }: TextSample): void {
  const around = expectedOffset(track, frame)
  const best = findBestMatch(track.strokes, luma, {
    around,
    reach: isMoving(track) ? matchRadius.moving : matchRadius.still,
  })
  const place = translateBox(track.origin, best.offset.x, best.offset.y)
  const box = [...free].toSorted(
    (one, other) => intersectionOverUnion(other, place) - intersectionOverUnion(one, place),
  )[0]
  const boxed = box && coversText(box, place) ? box : undefined
  const enough = best.visibleShare >= minMatchedShare && best.strength >= minStrength
  if (enough && best.similarity >= (boxed ? minSimilarity.boxed : minSimilarity.found)) {
    if (boxed) free.delete(boxed)
    addDetection(track, { frame, luma, offset: best.offset, box: boxed })
  } else track.missed += 1
}

/** Whether a box is that of the text at a place. */
function coversText(box: Bounds, place: Bounds): boolean {
  const both = boxArea(intersectBoxes(box, place))
  return both > 0.6 * boxArea(box) && both > 0.5 * boxArea(place)
}

/** Looks for a text that has begun to move, or moves otherwise than expected, among boxes of its size. */
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
  const place = { ...translateBox(roundOutwards(track.origin), offset.x, offset.y), tilt: track.origin.tilt }
  const part = cropLuma(luma, strokeSearchBox(place))
  if (track.first.length < cropsPerEnd) track.first.push(part)
  if (!box) return
  track.last.push(part)
  if (track.last.length > cropsPerEnd) track.last.shift()
}

/** All pictures of a text are cut alike, whatever its offset. */
function roundOutwards({ left, top, right, bottom }: Bounds): Bounds {
  return { left: Math.floor(left), top: Math.floor(top), right: Math.ceil(right), bottom: Math.ceil(bottom) }
}

/** A text that was seen in a sample. */
export interface TextDetection {
  readonly frame: number
  /** How far it is from where it was first seen, px. */
  readonly offset: Offset
  /** What the detector found; undefined where only the letters' edges were found again. */
  readonly box: TextBox | undefined
}

/** Pixels by which what stands may seem to move. */
const maxStillOffset = 1.5

/** What was seen of a text, in order. */
interface Detections {
  readonly detections: readonly TextDetection[]
}

/** Whether a text is seen to move. */
export function isMoving({ detections: sightings }: Detections): boolean {
  return sightings.some(({ offset }) => Math.hypot(offset.x, offset.y) > maxStillOffset)
}

/** Where a text is, or is to be expected, on a frame, as its offset: between sightings, or on from the nearest ones. */
export function expectedOffset({ detections: sightings }: Detections, frame: number): Offset {
  const first = sightings[0]
  if (!first) return { x: 0, y: 0 }
  const after = sightings.findIndex((one) => one.frame >= frame)
  const upper = after < 0 ? sightings.length - 1 : Math.max(after, 1)
  // Beyond the ends over a longer way: offsets are whole pixels.
  const span = after <= 0 ? 3 : 1
  const from = sightings[after === 0 ? 0 : Math.max(0, upper - span)] ?? first
  const to = sightings[after === 0 ? Math.min(span, sightings.length - 1) : upper] ?? first
  if (from.frame === to.frame) return from.offset
  const share = (frame - from.frame) / (to.frame - from.frame)
  return {
    x: from.offset.x + share * (to.offset.x - from.offset.x),
    y: from.offset.y + share * (to.offset.y - from.offset.y),
  }
}
