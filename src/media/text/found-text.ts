import { letterSize, translateBox, boxWidth, type LineBox, type Tilt } from './box.ts'
import { lowerMedian, type TextEnd } from './onset.ts'
import { edgeDensity, medianGradient, strokeBox } from './stroke-mask.ts'
import { meanCrop, type LumaCrop } from './luma.ts'
import { expectedOffset, isMoving, type TextTrack } from './detections.ts'
import type { Offset } from './edge-matching.ts'
import type { Bounds } from '../geometry.ts'

/** A line of text that was followed to its end. */
export interface FoundText {
  /** The frames that show it: from `first`, to `last`. */
  readonly first: number
  readonly last: number
  /** Its ink on any of them, px, of a tilted one all that was detected; cut to nothing. */
  readonly boxAt: (frame: number) => Bounds
  readonly moving: boolean
  /** Left out, it runs level or upright. */
  readonly tilt?: Tilt | undefined
  /** 0 to 1. */
  readonly score: number
  /** Samples in which the detector found it. */
  readonly detectionCount: number
  /** The first of them. */
  readonly firstSample: number
  /** Edges of letters on a way as long as it is high. */
  readonly edgeDensity: number
}

/** A text that is to be looked at again. */
export interface TextCandidate {
  readonly text: FoundText
  /** What it looks like, with what is around it, and where it lies there. */
  readonly picture: LumaCrop
  readonly line: LineBox
}

interface TrackEnds {
  readonly beginning: TextEnd
  readonly ending: TextEnd
  /** The size of the pictures it was followed in, px. */
  readonly picture: { readonly width: number; readonly height: number }
}

/** A track as a text, with its ends known. */
export function createCandidate(track: TextTrack, { beginning, ending, picture }: TrackEnds): TextCandidate {
  const found = track.detections.flatMap(({ box, offset }) => (box ? [{ box, offset }] : []))
  const tilt = typicalTilt(found.map(({ box }) => box))
  // The box of a line that was taken for an untilted one ends elsewhere.
  const alike = found.filter(({ box }) => !box.tilt === !tilt)
  const typical = (edge: keyof Bounds, axis: keyof Offset) =>
    lowerMedian(alike.map(({ box, offset }) => box[edge] - offset[axis]))
  const detected = {
    left: typical('left', 'x'),
    top: typical('top', 'y'),
    right: typical('right', 'x'),
    bottom: typical('bottom', 'y'),
    tilt,
  }
  const moving = isMoving(track)
  const both = meanCrop([beginning.pictures[0], ending.pictures[0]])
  // Whole pixels are too coarse to lay what moves over itself: its edges would be gone.
  const steady = moving
    ? [both]
    : [...track.first, ...track.last].map((part) => ({ ...part, left: both.left, top: both.top }))
  const [one = both, ...others] = steady
  const views: readonly [LumaCrop, ...LumaCrop[]][] = [
    [one, ...others],
    ...[...beginning.pictures, ...ending.pictures].map((view): [LumaCrop] => [view]),
  ]
  const clearest = views
    .map((view) => medianGradient(view))
    .map((slopes) => ({ slopes, noise: surroundingNoise(slopes, detected) }))
    .reduce((least, other) => (least.noise <= other.noise ? least : other))
  // What moves comes from the edge, or goes there, and is whole elsewhere.
  const ink = strokeBox(clearest.slopes, detected, moving ? undefined : picture)
  const text = {
    boxAt: boxLocator(track, ink),
    moving,
    tilt,
    score: found.reduce((sum, { box }) => sum + box.score, 0) / Math.max(1, found.length),
    detectionCount: found.length,
    firstSample: track.detections[0]?.frame ?? 0,
    edgeDensity: edgeDensity(both, detected),
    first: Math.min(beginning.frame, ending.frame),
    last: Math.max(beginning.frame, ending.frame),
  }
  return { text, picture: both, line: detected }
}

/** How a text lies, as most of its boxes tell. */
function typicalTilt(boxes: readonly LineBox[]): Tilt | undefined {
  const tilts = boxes.flatMap(({ tilt }) => (tilt ? [tilt] : []))
  if (2 * tilts.length <= boxes.length) return undefined
  const typical = (value: keyof Tilt) => lowerMedian(tilts.map((tilt) => tilt[value]))
  return { angle: typical('angle'), letterSize: typical('letterSize') }
}

/** Where a text's ink is on any frame; keeps nothing of its pictures. */
function boxLocator({ detections: sightings }: TextTrack, ink: Bounds): (frame: number) => Bounds {
  if (isMoving({ detections: sightings })) {
    return (frame) => {
      const { x, y } = expectedOffset({ detections: sightings }, frame)
      return translateBox(ink, x, y)
    }
  }
  const seen = sightings.filter(({ box }) => box)
  const typical = (axis: keyof Offset) => lowerMedian(seen.map(({ offset }) => offset[axis]))
  const place = translateBox(ink, typical('x'), typical('y'))
  return () => place
}

/** How much goes on around a box, as a share of what goes on in it. */
function surroundingNoise({ left, top, width, height, values }: LumaCrop, box: LineBox): number {
  const margin = 0.35 * letterSize(box)
  let [inside, outside, within, beyond] = [0, 0, 0, 0]
  for (let y = 0; y < height - 1; y += 1) {
    for (let x = 0; x < width - 1; x += 1) {
      const slope = values[y * width + x] ?? 0
      const across = Math.max(box.left - (left + x), left + x - box.right)
      const down = Math.max(box.top - (top + y), top + y - box.bottom)
      if (across < 0 && down < 0) {
        inside += slope
        within += 1
      } else if (across > margin || down > margin) {
        outside += slope
        beyond += 1
      }
    }
  }
  return beyond === 0 || inside === 0 || boxWidth(box) === 0 ? 1 : outside / beyond / (inside / within)
}
