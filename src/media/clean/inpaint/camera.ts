import type { Frame, Patch } from '../frame.ts'
import { type AffineMap, composeMaps, cornerDistance, identityMap, invertMap, scaleMap } from './affine.ts'
import { type Alignment, alignPoints, initialAlignment } from './align.ts'
import {
  buildPyramid,
  detectFeaturePoints,
  downsample,
  type FeaturePoints,
  type ImagePyramid,
} from './grey-image.ts'
import { hiddenMask } from './hidden-mask.ts'

/** The camera pose of a frame. */
export interface CameraPose {
  /** Index of the shot, from 0. A cut starts the next one. */
  readonly shot: number
  /** Maps pixel coordinates of the frame to coordinates of the shot. */
  readonly toShot: AffineMap
}

/** Approximate longest side, in pixels, of the image used for tracking and of the smallest pyramid level. */
const workingSide = 480
const smallestSide = 60

/** Least share of a keyframe's points that must be visible and agree; below it a newer keyframe is chosen. */
const minShare = 0.6

/** Tracks camera motion over consecutive frames, using luma outside the patches. */
export class CameraTracker {
  readonly #factor: number
  readonly #levels: number
  #shot = 0
  #anchor: Keyframe | undefined
  #before: Keyframe | undefined
  /**
   * Alignment of the keyframe in the last frame, in pixels of the reduced image. `#velocity` is its change since the
   * frame before.
   */
  #last: Alignment | undefined
  #velocity: AffineMap = identityMap

  constructor(size: { readonly width: number; readonly height: number }) {
    const side = Math.max(size.width, size.height)
    this.#factor = Math.max(1, Math.round(side / workingSide))
    this.#levels = 1 + Math.max(0, Math.round(Math.log2(side / this.#factor / smallestSide)))
  }

  /** Returns the pose of the next frame. Starts another shot at a cut. */
  observe(frame: Frame, patches: readonly Patch[]): CameraPose {
    const pyramid = this.#pyramidOf(frame, patches)
    const before = this.#before
    const found = before && this.#follow(before, pyramid)
    const isCut = before && !found && before.differsFrom(pyramid)
    if (isCut === true) this.#shot += 1
    // If tracking fails without a cut, for example on black, assume a static camera.
    const toShot = found ?? (isCut === true ? identityMap : (before?.toShot ?? identityMap))
    this.#before = new Keyframe(pyramid, toShot)
    if (!found) this.#velocity = identityMap
    if (!this.#last || !found || this.#last.visibleShare < minShare || this.#last.inlierShare < minShare) {
      this.#anchor = this.#before
      this.#last = undefined
    }
    return { shot: this.#shot, toShot }
  }

  /** Maps the frame to the shot, by aligning the keyframe, or else the previous frame. */
  #follow(before: Keyframe, pyramid: ImagePyramid): AffineMap | undefined {
    const was = this.#last ?? initialAlignment
    let found = this.#anchor?.alignTo(pyramid, { ...was, map: composeMaps(was.map, this.#velocity) })
    if (found) this.#velocity = composeMaps(invertMap(was.map), found.map)
    else {
      found =
        before.alignTo(pyramid, { ...initialAlignment, map: this.#velocity }) ??
        before.alignTo(pyramid, initialAlignment) ??
        before.alignTo(pyramid, before.searchShift(pyramid))
      if (!found) return undefined
      this.#velocity = found.map
      this.#anchor = before
    }
    this.#last = found
    return composeMaps(invertMap(scaleMap(found.map, this.#factor)), this.#anchor?.toShot ?? identityMap)
  }

  #pyramidOf(frame: Frame, patches: readonly Patch[]): ImagePyramid {
    const factor = this.#factor
    const size = { width: Math.floor(frame.width / factor), height: Math.floor(frame.height / factor) }
    const masks = Array.from({ length: this.#levels }, (_, level) => {
      const step = factor * 2 ** level
      const whole = { width: (size.width >> level) * step, height: (size.height >> level) * step }
      return hiddenMask(patches, { x: 0, y: 0, ...whole }, step)
    })
    const luma = frame.bytes.subarray(0, frame.width * frame.height)
    // At full size, copy: treatment overwrites the frame's own bytes.
    return buildPyramid(factor === 1 ? luma.slice() : downsample(luma, frame, factor), size, masks)
  }
}

/** A frame onto which later frames are aligned. */
class Keyframe {
  readonly pyramid: ImagePyramid
  /** Maps pixel coordinates of the frame to coordinates of the shot. */
  readonly toShot: AffineMap
  #points: readonly FeaturePoints[] | undefined

  constructor(pyramid: ImagePyramid, toShot: AffineMap) {
    this.pyramid = pyramid
    this.toShot = toShot
  }

  /** Feature points per pyramid level, sparser at the largest level. */
  get points(): readonly FeaturePoints[] {
    this.#points ??= this.pyramid.map((picture, level) => detectFeaturePoints(picture, level === 0 ? 10 : 5))
    return this.#points
  }

  /**
   * Aligns this keyframe to another frame, coarse to fine. Undefined if there are too few points or the result is
   * implausible.
   */
  alignTo(pyramid: ImagePyramid, from: Pick<Alignment, 'map' | 'gain' | 'offset'>): Alignment | undefined {
    const [largest] = pyramid
    if (!largest || (this.points[0]?.count ?? 0) < minPoints) return undefined
    let map = scaleMap(from.map, 0.5 ** (pyramid.length - 1))
    let found: Alignment | undefined
    let { gain, offset } = from
    for (let level = pyramid.length - 1; level >= 0; level -= 1) {
      const [picture, points] = [pyramid[level], this.points[level]]
      if (!picture || !points) return undefined
      const rounds = level === 0 ? 4 : 8
      found = alignPoints(points, picture, {
        from: { map, gain, offset },
        rounds,
        isShift: points.count < 60,
      })
      ;({ gain, offset } = found)
      map = level === 0 ? found.map : scaleMap(found.map, 2)
    }
    const isWild = found && cornerDistance(found.map, from.map, { width: 1, height: 1 }) > largest.width
    return found && !isWild && isPlausibleAlignment(found) ? found : undefined
  }

  /**
   * Returns the translation with the smallest residual at the coarsest level, up to a sixth of the image in each
   * direction. Initializes `alignTo` after large motion.
   */
  searchShift(pyramid: ImagePyramid): typeof initialAlignment {
    const [picture, points] = [pyramid.at(-1), this.points.at(-1)]
    if (!picture || !points) return initialAlignment
    let best = { residual: Infinity, map: identityMap }
    const [across, along] = [Math.floor(picture.width / 6), Math.floor(picture.height / 6)]
    for (let y = -along; y <= along; y += 1) {
      for (let x = -across; x <= across; x += 1) {
        const map: AffineMap = [1, 0, x, 0, 1, y]
        const { residual, visibleShare: seen } = alignPoints(points, picture, {
          from: { ...initialAlignment, map },
          rounds: 0,
        })
        if (seen > 0.5 && residual < best.residual) best = { residual, map }
      }
    }
    return { ...initialAlignment, map: scaleMap(best.map, 2 ** (pyramid.length - 1)) }
  }

  /** Whether another frame shows a different scene: mean absolute difference at the coarsest level, in levels. */
  differsFrom(pyramid: ImagePyramid): boolean {
    const [one, other] = [this.pyramid.at(-1), pyramid.at(-1)]
    if (!one || !other) return true
    let [sum, count] = [0, 0]
    for (let at = 0; at < one.data.length; at += 1) {
      if ((one.hidden[at] ?? 1) + (other.hidden[at] ?? 1) > 0) continue
      sum += Math.abs((one.data[at] ?? 0) - (other.data[at] ?? 0))
      count += 1
    }
    return sum > maxSceneDifference * count
  }
}

/** Fewest feature points at the largest level for a reliable alignment. */
const minPoints = 50
/** Largest mean difference, in levels, between frames of one shot when tracking fails. */
const maxSceneDifference = 6

/** Whether an alignment is credible. Aligned to a different object, contrast is lost or the map is distorted. */
function isPlausibleAlignment({
  gain,
  map: [a, b, , d, e],
  visibleShare: seen,
  inlierShare: agreeing,
  residual,
}: Alignment): boolean {
  const bent = Math.max(Math.abs(a - 1), Math.abs(e - 1), Math.abs(b), Math.abs(d))
  return gain > 0.4 && gain < 2.5 && bent < 0.4 && seen > 0.4 && (agreeing > 0.55 || residual < 4)
}
