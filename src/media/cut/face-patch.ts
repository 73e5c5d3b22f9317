import type { Point } from '../geometry.ts'
import type { Luma } from '../text/luma.ts'
import type { FaceLandmarks } from '../vision/face.ts'

/**
 * Luma of the middle and lower part of a face, upright and of fixed size whatever the position, size and tilt of the
 * head: `patchSide` rows and columns, row by row, 0 to 255. The unit of its coordinates is the distance from the eyes to
 * the mouth; x is 0 in the middle, y is 0 at the eyes and 1 at the mouth.
 */
export type FacePatch = Float32Array

/** Sides of a patch, px, and of one of its pixels, in distances from the eyes to the mouth. */
export const patchSide = 40
const pixelSide = 0.04

/** Coordinates of the top left corner of a patch. */
const patchCorner = { x: (-patchSide / 2) * pixelSide, y: 0.05 } as const

/** Pixels of a patch; `right` and `bottom` are outside. */
interface PatchArea {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Lips, chin and the cheeks beside them, and the rigid part: nose and upper cheeks, without the eyes, which blink. */
export const mouthArea: PatchArea = { left: 6, top: 18, right: 34, bottom: 35 }
export const rigidArea: PatchArea = { left: 5, top: 4, right: 35, bottom: 16 }

/** Least distance from the eyes to the mouth, px: smaller faces do not show their lips. */
const minFaceUnit = 10

/** Most samples across a pixel of a patch. */
const maxSamples = 4

/** Returns the patch of a face in a picture; undefined if the face is too small. */
export function facePatch(luma: Luma, landmarks: FaceLandmarks): FacePatch | undefined {
  const eyes = middle(landmarks.rightEye, landmarks.leftEye)
  const mouth = middle(landmarks.rightMouth, landmarks.leftMouth)
  const down = { x: mouth.x - eyes.x, y: mouth.y - eyes.y }
  const unit = Math.hypot(down.x, down.y)
  if (unit < minFaceUnit) return undefined
  const samples = Math.min(maxSamples, Math.max(1, Math.round(unit * pixelSide)))
  const patch = new Float32Array(patchSide * patchSide)
  for (let at = 0; at < patch.length; at += 1) {
    const [column, row] = [at % patchSide, Math.floor(at / patchSide)]
    let sum = 0
    for (let sample = 0; sample < samples * samples; sample += 1) {
      const x = patchCorner.x + (column + ((sample % samples) + 0.5) / samples) * pixelSide
      const y = patchCorner.y + (row + (Math.floor(sample / samples) + 0.5) / samples) * pixelSide
      sum += lumaAt(luma, eyes.x + x * down.y + y * down.x, eyes.y - x * down.x + y * down.y)
    }
    patch[at] = sum / (samples * samples)
  }
  return patch
}

function middle(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 }
}

/** Returns the luma at a position, interpolated between the centres of pixels; beyond the picture that of its edge. */
function lumaAt({ width, height, values }: Luma, x: number, y: number): number {
  const column = Math.min(width - 1, Math.max(0, x - 0.5))
  const row = Math.min(height - 1, Math.max(0, y - 0.5))
  const [left, top] = [Math.floor(column), Math.floor(row)]
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
  const [across, down] = [column - left, row - top]
  const value = (atX: number, atY: number) => values[atY * width + atX] ?? 0
  const upper = value(left, top) * (1 - across) + value(right, top) * across
  const lower = value(left, bottom) * (1 - across) + value(right, bottom) * across
  return upper * (1 - down) + lower * down
}
