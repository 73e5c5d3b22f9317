import { letterSize, translateBox, boxWidth, type LineBox, type Tilt } from './box.ts'
import { lowerMedian, type TextEnd } from './onset.ts'
import { edgeDensity, medianGradient, strokeBox } from './stroke-mask.ts'
import { meanCrop, type LumaCrop } from './luma.ts'
import { expectedOffset, isMoving, type TextTrack } from './detections.ts'
import type { Offset } from './edge-matching.ts'
import type { Bounds } from '../geometry.ts'

/** A line of text with a known beginning and end. */
export interface FoundText {
  /** First and last frame that show it. */
  readonly first: number
  readonly last: number
  /** Bounds of its strokes at a frame, px; of a tilted line, its detected box. Not clipped to the picture. */
  readonly boxAt: (frame: number) => Bounds
  readonly moving: boolean
  /** Undefined for horizontal and vertical lines. */
  readonly tilt?: Tilt | undefined
  /** Mean score of its detections, 0 to 1. */
  readonly score: number
  /** Samples in which the detector found it. */
  readonly detectionCount: number
  /** Frame of its first sample. */
  readonly firstSample: number
  /** Vertical edges per letter height; see `edgeDensity` in stroke-mask. */
  readonly edgeDensity: number
}

/** A text to be rescored. */
export interface TextCandidate {
  readonly text: FoundText
  /** Mean crop of the text and its surroundings. */
  readonly picture: LumaCrop
  /** Box of the line, in the coordinates of the whole picture. */
  readonly line: LineBox
}

interface TrackEnds {
  readonly beginning: TextEnd
  readonly ending: TextEnd
  /** Size of the sampled pictures, px. */
  readonly picture: { readonly width: number; readonly height: number }
}

/** Converts an ended track to a text. */
export function createCandidate(track: TextTrack, { beginning, ending, picture }: TrackEnds): TextCandidate {
  const found = track.detections.flatMap(({ box, offset }) => (box ? [{ box, offset }] : []))
  const tilt = typicalTilt(found.map(({ box }) => box))
  // Boxes that were detected as untilted have other edges than tilted ones.
  const sameTilt = found.filter(({ box }) => !box.tilt === !tilt)
  const typical = (edge: keyof Bounds, axis: keyof Offset) =>
    lowerMedian(sameTilt.map(({ box, offset }) => box[edge] - offset[axis]))
  const detected = {
    left: typical('left', 'x'),
    top: typical('top', 'y'),
    right: typical('right', 'x'),
    bottom: typical('bottom', 'y'),
    tilt,
  }
  const moving = isMoving(track)
  const both = meanCrop([beginning.pictures[0], ending.pictures[0]])
  // Offsets are whole pixels: averaging crops of a moving text would blur its edges away.
  const stillCrops = moving
    ? [both]
    : [...track.first, ...track.last].map((part) => ({ ...part, left: both.left, top: both.top }))
  const [one = both, ...others] = stillCrops
  const views: readonly [LumaCrop, ...LumaCrop[]][] = [
    [one, ...others],
    ...[...beginning.pictures, ...ending.pictures].map((view): [LumaCrop] => [view]),
  ]
  const leastNoisy = views
    .map((view) => medianGradient(view))
    .map((slopes) => ({ slopes, noise: surroundingNoise(slopes, detected) }))
    .reduce((least, other) => (least.noise <= other.noise ? least : other))
  // A moving text crosses the edge at its ends only and is whole in between.
  const strokes = strokeBox(leastNoisy.slopes, detected, moving ? undefined : picture)
  const text = {
    boxAt: boxLocator(track, strokes),
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

/** Returns the median tilt if most boxes are tilted, else undefined. */
function typicalTilt(boxes: readonly LineBox[]): Tilt | undefined {
  const tilts = boxes.flatMap(({ tilt }) => (tilt ? [tilt] : []))
  if (2 * tilts.length <= boxes.length) return undefined
  const typical = (value: keyof Tilt) => lowerMedian(tilts.map((tilt) => tilt[value]))
  return { angle: typical('angle'), letterSize: typical('letterSize') }
}

/** Returns a function from frame to the bounds of the strokes. It does not retain the track's crops. */
function boxLocator({ detections }: TextTrack, strokes: Bounds): (frame: number) => Bounds {
  if (isMoving({ detections })) {
    return (frame) => {
      const { x, y } = expectedOffset({ detections }, frame)
      return translateBox(strokes, x, y)
    }
  }
  const boxed = detections.filter(({ box }) => box)
  const typical = (axis: keyof Offset) => lowerMedian(boxed.map(({ offset }) => offset[axis]))
  const typicalBox = translateBox(strokes, typical('x'), typical('y'))
  return () => typicalBox
}

/** Mean gradient outside a box and its margin, divided by the mean gradient inside it; 1 if either part is empty. */
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
