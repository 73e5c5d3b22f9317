import type { Point, Rect } from '../geometry.ts'

/** Five points of a face. Left and right are those of the person, so the right eye is on the left in the picture. */
export interface FaceLandmarks {
  readonly rightEye: Point
  readonly leftEye: Point
  readonly nose: Point
  readonly rightMouth: Point
  readonly leftMouth: Point
}

/** A detected face, in pixels of its picture. The box may extend beyond the picture. */
export interface Face {
  readonly box: Rect
  /** Confidence, 0 to 1. */
  readonly score: number
  readonly landmarks: FaceLandmarks
}

/** Returns landmarks with each point replaced. */
export function mapLandmarks(landmarks: FaceLandmarks, change: (point: Point) => Point): FaceLandmarks {
  return {
    rightEye: change(landmarks.rightEye),
    leftEye: change(landmarks.leftEye),
    nose: change(landmarks.nose),
    rightMouth: change(landmarks.rightMouth),
    leftMouth: change(landmarks.leftMouth),
  }
}

/** Returns the landmarks between two, linearly: `from` at share 0, `to` at share 1. */
export function interpolateLandmarks(from: FaceLandmarks, to: FaceLandmarks, share: number): FaceLandmarks {
  const between = (one: Point, other: Point): Point => ({
    x: one.x + share * (other.x - one.x),
    y: one.y + share * (other.y - one.y),
  })
  return {
    rightEye: between(from.rightEye, to.rightEye),
    leftEye: between(from.leftEye, to.leftEye),
    nose: between(from.nose, to.nose),
    rightMouth: between(from.rightMouth, to.rightMouth),
    leftMouth: between(from.leftMouth, to.leftMouth),
  }
}

/** Returns a face in a picture whose sides are scaled by two factors. */
export function scaleFace({ box, score, landmarks }: Face, across: number, down: number): Face {
  return {
    box: { x: box.x * across, y: box.y * down, width: box.width * across, height: box.height * down },
    score,
    landmarks: mapLandmarks(landmarks, ({ x, y }) => ({ x: x * across, y: y * down })),
  }
}

/** What places a face in a picture. */
type PlacedFace = Pick<Face, 'box'>

/** Largest distance of the centres of a face in two pictures a fraction of a second apart, in widths of the face. */
const maxLinkDistance = 0.5
/** Largest ratio of the widths of a face in two such pictures. */
const maxLinkRatio = 1.5

/**
 * Returns the pairs of faces that are the same person in two pictures a fraction of a second apart: nearest first, of
 * similar size and position. Each face is in at most one pair. `maxDistance`: of the centres, in widths of the face.
 */
export function linkFaces<From extends PlacedFace, To extends PlacedFace>(
  before: readonly From[],
  after: readonly To[],
  maxDistance = maxLinkDistance,
): [From, To][] {
  const candidates = before.flatMap((one) =>
    after
      .map((other) => ({ one, other, distance: linkDistance(one.box, other.box) }))
      .filter(({ distance }) => distance <= maxDistance),
  )
  const used = new Set<PlacedFace>()
  const pairs: [From, To][] = []
  for (const { one, other } of candidates.toSorted((a, b) => a.distance - b.distance)) {
    if (used.has(one) || used.has(other)) continue
    used.add(one).add(other)
    pairs.push([one, other])
  }
  return pairs
}

function linkDistance(one: Rect, other: Rect): number {
  const [small, large] = [Math.min(one.width, other.width), Math.max(one.width, other.width)]
  if (large > maxLinkRatio * small) return Infinity
  const across = one.x + one.width / 2 - other.x - other.width / 2
  const down = one.y + one.height / 2 - other.y - other.height / 2
  return Math.hypot(across, down) / large
}
