import type { Frame } from '../clean/frame.ts'
import type { Rect } from '../geometry.ts'
import { bgrPlanes, type BgrPlanes } from './bgr-planes.ts'
import type { Face } from './face.ts'

/** YuNet takes blue, green and red of 0 to 255. */
const unscaled = { scale: 1, offset: 0 } as const

/** Converts a frame to YuNet's input. memory: see `bgrPlanes`. */
export function createFaceInput(frame: Frame, memory?: Float32Array<ArrayBuffer>): BgrPlanes {
  return bgrPlanes(frame, [unscaled, unscaled, unscaled], memory)
}

/** Distances of the cells of YuNet's three grids, px of its input. */
export const faceStrides = [8, 16, 32] as const

/** Outputs of YuNet for one grid, one row per cell, cells row by row. */
export interface FaceGrid {
  /** Distance of the cells, px. */
  readonly stride: number
  /** Probability of the class face, and that an object is centred at the cell, 0 to 1. */
  readonly cls: Float32Array
  readonly obj: Float32Array
  /** Centre relative to the cell and logarithm of the size, in strides: x, y, width, height. */
  readonly bbox: Float32Array
  /** Five points relative to the cell, in strides: right eye, left eye, nose, right and left corner of the mouth. */
  readonly kps: Float32Array
}

/** Bounds of a decoding. */
interface DecodeFacesOptions {
  /** Least score. Default: `minFaceScore`. */
  readonly minScore?: number
}

/** Least score of a face. Unlike the 0.9 of OpenCV's sample, it keeps faces in profile and small ones. */
export const minFaceScore = 0.7

/** Faces whose boxes overlap by more than this share (intersection over union) are one: the value of OpenCV. */
const maxOverlap = 0.3

/**
 * Decodes the outputs of YuNet for an input `width` px wide to faces in its pixels, best first. The score is the geometric
 * mean of both probabilities (Wu et al., YuNet: a tiny millisecond-level face detector).
 */
export function decodeFaces(
  grids: readonly FaceGrid[],
  width: number,
  { minScore = minFaceScore }: DecodeFacesOptions = {},
): Face[] {
  return suppressOverlaps(grids.flatMap((grid) => gridFaces(grid, width, minScore)))
}

function gridFaces({ stride, cls, obj, bbox, kps }: FaceGrid, width: number, minScore: number): Face[] {
  const columns = width / stride
  const faces: Face[] = []
  for (let cell = 0; cell < cls.length; cell += 1) {
    const score = Math.sqrt(probability(cls[cell]) * probability(obj[cell]))
    if (score < minScore) continue
    const [column, row] = [cell % columns, Math.floor(cell / columns)]
    const [x = 0, y = 0, across = 0, down = 0] = bbox.subarray(4 * cell, 4 * cell + 4)
    const [boxWidth, boxHeight] = [Math.exp(across) * stride, Math.exp(down) * stride]
    const point = (index: number) => ({
      x: (column + (kps[10 * cell + 2 * index] ?? 0)) * stride,
      y: (row + (kps[10 * cell + 2 * index + 1] ?? 0)) * stride,
    })
    faces.push({
      score,
      box: {
        x: (column + x) * stride - boxWidth / 2,
        y: (row + y) * stride - boxHeight / 2,
        ...{ width: boxWidth, height: boxHeight },
      },
      landmarks: {
        ...{ rightEye: point(0), leftEye: point(1), nose: point(2) },
        ...{ rightMouth: point(3), leftMouth: point(4) },
      },
    })
  }
  return faces
}

function probability(value = 0): number {
  return Math.min(1, Math.max(0, value))
}

/** Returns the faces without those that overlap a better one, best first. */
function suppressOverlaps(faces: readonly Face[]): Face[] {
  const kept: Face[] = []
  for (const face of faces.toSorted((one, other) => other.score - one.score)) {
    if (kept.every(({ box }) => overlapShare(box, face.box) <= maxOverlap)) kept.push(face)
  }
  return kept
}

/** Intersection area divided by union area, 0 to 1. */
function overlapShare(one: Rect, other: Rect): number {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y)
  const both = Math.max(0, across) * Math.max(0, down)
  return both / (one.width * one.height + other.width * other.height - both)
}
