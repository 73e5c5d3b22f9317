import {
  areaOf,
  heightOf,
  moved,
  overlap,
  shared,
  widthOf,
  type Bounds,
  type Placed,
  type TextBox,
} from './box.ts'
import { inkSearch } from './ink.ts'
import { crop, type Crop, type Luma } from './luma.ts'
import { bestShowing, strokesOf, type Offset, type Strokes } from './strokes.ts'
import { inLine } from './tilt.ts'
import { expectedAt, isMoving, type Sighting } from './sightings.ts'

/** A line of text that is followed from sample to sample. */
export interface Track {
  readonly sightings: Sighting[]
  /** Where it was first seen. */
  readonly origin: Placed
  readonly strokes: Strokes
  /** What it and its surroundings looked like in the first samples, and in the last. */
  readonly first: Crop[]
  readonly last: Crop[]
  /** Samples in which it was not seen since. */
  missed: number
  /** Samples in which only its letters were found since the detector found it. */
  unconfirmed: number
}

/** Pictures of a text that are kept from each of its ends. */
const kept = 3

/** Likeness of edges from which a text is the same: at its place, at its place with a box there, elsewhere. */
const alike = { found: 0.6, boxed: 0.55, elsewhere: 0.6 }

/** Least amount that still is the text, of what it was when it was first seen. */
const leastAmount = 0.4

/** Pixels around the expected place that are searched: of what stands, and of what moves. */
const reach = { still: 1, moving: 4 }

/** How much of a text has to be in the picture to be known again. */
const leastInside = 0.08

/** A sample of a video, in which texts are followed. */
export interface Sample {
  readonly frame: number
  readonly luma: Luma
  /** Boxes that belong to no track yet. */
  readonly free: Set<TextBox>
}

/** A track of a text that was found in a sample. */
export function begin({ frame, luma, box }: { frame: number; luma: Luma; box: TextBox }): Track {
  const track: Track = {
    ...{ sightings: [], origin: box, strokes: strokesOf(crop(luma, box), inLine(box)) },
    ...{ first: [], last: [], missed: 0, unconfirmed: 0 },
  }
  see(track, { frame, luma, offset: { x: 0, y: 0 }, box })
  return track
}

/** Looks for a text where it is expected, by its letters' edges. */
export function follow(track: Track, { frame, luma, free }: Sample): void {
  const around = expectedAt(track, frame)
  const best = bestShowing(track.strokes, luma, {
    around,
    reach: isMoving(track) ? reach.moving : reach.still,
  })
  const place = moved(track.origin, best.offset.x, best.offset.y)
  const box = [...free].toSorted((one, other) => overlap(other, place) - overlap(one, place))[0]
  const boxed = box && covers(box, place) ? box : undefined
  const enough = best.inside >= leastInside && best.amount >= leastAmount
  if (enough && best.likeness >= (boxed ? alike.boxed : alike.found)) {
    if (boxed) free.delete(boxed)
    see(track, { frame, luma, offset: best.offset, box: boxed })
  } else track.missed += 1
}

/** Whether a box is that of the text at a place. */
function covers(box: Bounds, place: Bounds): boolean {
  const both = areaOf(shared(box, place))
  return both > 0.6 * areaOf(box) && both > 0.5 * areaOf(place)
}

/** Looks for a text that has begun to move, or moves otherwise than expected, among boxes of its size. */
export function findElsewhere(track: Track, { frame, luma, free }: Sample): void {
  const before = track.sightings.at(-1)
  if (!before) return
  const candidates = [...free].filter((box) => isLike(box, track.origin))
  const tried = candidates.map((box) => {
    const around = {
      x: (box.left + box.right - track.origin.left - track.origin.right) / 2,
      y: (box.top + box.bottom - track.origin.top - track.origin.bottom) / 2,
    }
    return { box, ...bestShowing(track.strokes, luma, { around, reach: reach.moving }) }
  })
  const [best] = tried.toSorted((one, other) => other.likeness - one.likeness)
  if (!best || best.likeness < alike.elsewhere || best.inside < leastInside) return
  free.delete(best.box)
  track.missed = 0
  see(track, { frame, luma, offset: best.offset, box: best.box })
}

function isLike(box: Bounds, other: Bounds): boolean {
  const across = widthOf(box) / widthOf(other)
  const down = heightOf(box) / heightOf(other)
  return across > 0.8 && across < 1.25 && down > 0.7 && down < 1.4
}

function see(
  track: Track,
  { frame, luma, offset, box }: { frame: number; luma: Luma; offset: Offset; box: TextBox | undefined },
): void {
  track.sightings.push({ frame, offset, box })
  track.missed = 0
  track.unconfirmed = box ? 0 : track.unconfirmed + 1
  const place = { ...moved(wholePixels(track.origin), offset.x, offset.y), tilt: track.origin.tilt }
  const part = crop(luma, inkSearch(place))
  if (track.first.length < kept) track.first.push(part)
  if (!box) return
  track.last.push(part)
  if (track.last.length > kept) track.last.shift()
}

/** All pictures of a text are cut alike, whatever its offset. */
function wholePixels({ left, top, right, bottom }: Bounds): Bounds {
  return { left: Math.floor(left), top: Math.floor(top), right: Math.ceil(right), bottom: Math.ceil(bottom) }
}
