import type { TextBox } from './box.ts'
import type { Offset } from './strokes.ts'

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
