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

/** Where a frame's camera looks. */
export interface CameraPose {
  /** Shots are counted from 0; another begins at a cut. */
  readonly shot: number
  /** Takes a pixel's place in the frame to its place in the shot. */
  readonly toShot: AffineMap
}

/** The longest side that motion is looked for at, about, and that of the smallest picture. */
const workingSide = 480
const smallestSide = 60

/** Of an anchor, what must be seen and agree, or the next frame is laid onto a newer one. */
const minShare = 0.6

/** Follows the camera over frames that come in order, by their brightness outside the patches. */
export class CameraTracker {
  readonly #factor: number
  readonly #levels: number
  #shot = 0
  #anchor: Keyframe | undefined
  #before: Keyframe | undefined
  /** How the anchor lay in the last frame, and how the one before that, in reduced pixels. */
  #last: Alignment | undefined
  #velocity: AffineMap = identityMap

  constructor(size: { readonly width: number; readonly height: number }) {
    const side = Math.max(size.width, size.height)
    this.#factor = Math.max(1, Math.round(side / workingSide))
    this.#levels = 1 + Math.max(0, Math.round(Math.log2(side / this.#factor / smallestSide)))
  }

  /** The next frame's pose. */
  observe(frame: Frame, patches: readonly Patch[]): CameraPose {
    const pyramid = this.#pyramidOf(frame, patches)
    const before = this.#before
    const found = before && this.#follow(before, pyramid)
    const isCut = before && !found && before.differsFrom(pyramid)
    if (isCut === true) this.#shot += 1
    // What cannot be followed, such as black, is taken to stand still.
    const toShot = found ?? (isCut === true ? identityMap : (before?.toShot ?? identityMap))
    this.#before = new Keyframe(pyramid, toShot)
    if (!found) this.#velocity = identityMap
    if (!this.#last || !found || this.#last.visibleShare < minShare || this.#last.inlierShare < minShare) {
      this.#anchor = this.#before
      this.#last = undefined
    }
    return { shot: this.#shot, toShot }
  }

  /** To the shot, from the anchor, else from the frame before. */
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
    // At full size the frame's own bytes would be changed under it.
    return buildPyramid(factor === 1 ? luma.slice() : downsample(luma, frame, factor), size, masks)
  }
}

/** A frame that others are laid onto. */
class Keyframe {
  readonly pyramid: ImagePyramid
  /** Takes a pixel's place in the frame to its place in the shot. */
  readonly toShot: AffineMap
  #points: readonly FeaturePoints[] | undefined

  constructor(pyramid: ImagePyramid, toShot: AffineMap) {
    this.pyramid = pyramid
    this.toShot = toShot
  }

  /** Of each picture; the largest, which has most, are taken sparser. */
  get points(): readonly FeaturePoints[] {
    this.#points ??= this.pyramid.map((picture, level) => detectFeaturePoints(picture, level === 0 ? 10 : 5))
    return this.#points
  }

  /** How this frame lies in another, from the smallest picture to the largest; undefined where nothing is to be held on to. */
  alignTo(pyramid: ImagePyramid, from: Pick<Alignment, 'map' | 'gain' | 'offset'>): Alignment | undefined {
    const [largest] = pyramid
    if (!largest || (this.points[0]?.count ?? 0) < minPoints) return undefined
    let map = scaleMap(from.map, 0.5 ** (pyramid.length - 1))
    let found: Alignment | undefined
    let { gain, offset } = from
    for (let level = pyramid.length - 1; level >= 0; level -= 1) {
      const [picture, here] = [pyramid[level], this.points[level]]
      if (!picture || !here) return undefined
      const rounds = level === 0 ? 4 : 8
      found = alignPoints(here, picture, { from: { map, gain, offset }, rounds, isShift: here.count < 60 })
      ;({ gain, offset } = found)
      map = level === 0 ? found.map : scaleMap(found.map, 2)
    }
    const isWild = found && cornerDistance(found.map, from.map, { width: 1, height: 1 }) > largest.width
    return found && !isWild && isPlausible(found) ? found : undefined
  }

  /** Where to begin: the shift of the smallest picture, up to a sixth of it, that leaves the least differences. */
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

  /** Tells whether another frame shows something else: mean difference of the smallest pictures. */
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

/** Points of the largest picture without which it tells too little. */
const minPoints = 50
/** Levels by which frames of one shot differ at most where nothing can be followed. */
const maxSceneDifference = 6

/** What is laid on another thing loses its contrast, or is drawn out of shape. */
function isPlausible({
  gain,
  map: [a, b, , d, e],
  visibleShare: seen,
  inlierShare: agreeing,
  residual,
}: Alignment): boolean {
  const bent = Math.max(Math.abs(a - 1), Math.abs(e - 1), Math.abs(b), Math.abs(d))
  return gain > 0.4 && gain < 2.5 && bent < 0.4 && seen > 0.4 && (agreeing > 0.55 || residual < 4)
}
