import type { Frame, Patch } from '../frame.ts'
import { after, enlarged, identity, inverse, type Affine } from './affine.ts'
import { start, type Alignment } from './align.ts'
import { Anchor } from './anchor.ts'
import { hiddenIn } from './masks.ts'
import { pyramidOf, reduced, type Pyramid } from './pyramid.ts'

/** Where a frame's camera looks. */
export interface Pose {
  /** Shots are counted from 0; another begins at a cut. */
  readonly shot: number
  /** Takes a pixel's place in the frame to its place in the shot. */
  readonly toShot: Affine
}

/** The longest side that motion is looked for at, about, and that of the smallest picture. */
const workingSide = 480
const smallest = 60

/** Of an anchor, what must be seen and agree, or the next frame is laid onto a newer one. */
const enough = 0.6

/** Follows the camera over frames that come in order, by their brightness outside the patches. */
export class Camera {
  readonly #factor: number
  readonly #levels: number
  #shot = 0
  #anchor: Anchor | undefined
  #before: Anchor | undefined
  /** How the anchor lay in the last frame, and how the one before that, in reduced pixels. */
  #last: Alignment | undefined
  #velocity: Affine = identity

  constructor(size: { readonly width: number; readonly height: number }) {
    const side = Math.max(size.width, size.height)
    this.#factor = Math.max(1, Math.round(side / workingSide))
    this.#levels = 1 + Math.max(0, Math.round(Math.log2(side / this.#factor / smallest)))
  }

  /** The next frame's pose. */
  observe(frame: Frame, patches: readonly Patch[]): Pose {
    const pyramid = this.#pyramidOf(frame, patches)
    const before = this.#before
    const found = before && this.#follow(before, pyramid)
    const isCut = before && !found && before.isUnlike(pyramid)
    if (isCut === true) this.#shot += 1
    // What cannot be followed, such as black, is taken to stand still.
    const toShot = found ?? (isCut === true ? identity : (before?.toShot ?? identity))
    this.#before = new Anchor(pyramid, toShot)
    if (!found) this.#velocity = identity
    if (!this.#last || !found || this.#last.seen < enough || this.#last.agreeing < enough) {
      this.#anchor = this.#before
      this.#last = undefined
    }
    return { shot: this.#shot, toShot }
  }

  /** To the shot, from the anchor, else from the frame before. */
  #follow(before: Anchor, pyramid: Pyramid): Affine | undefined {
    const was = this.#last ?? start
    let found = this.#anchor?.layOn(pyramid, { ...was, map: after(was.map, this.#velocity) })
    if (found) this.#velocity = after(inverse(was.map), found.map)
    else {
      found =
        before.layOn(pyramid, { ...start, map: this.#velocity }) ??
        before.layOn(pyramid, start) ??
        before.layOn(pyramid, before.search(pyramid))
      if (!found) return undefined
      this.#velocity = found.map
      this.#anchor = before
    }
    this.#last = found
    return after(inverse(enlarged(found.map, this.#factor)), this.#anchor?.toShot ?? identity)
  }

  #pyramidOf(frame: Frame, patches: readonly Patch[]): Pyramid {
    const factor = this.#factor
    const size = { width: Math.floor(frame.width / factor), height: Math.floor(frame.height / factor) }
    const masks = Array.from({ length: this.#levels }, (_, level) => {
      const step = factor * 2 ** level
      const whole = { width: (size.width >> level) * step, height: (size.height >> level) * step }
      return hiddenIn(patches, { x: 0, y: 0, ...whole }, step)
    })
    const luma = frame.bytes.subarray(0, frame.width * frame.height)
    // At full size the frame's own bytes would be changed under it.
    return pyramidOf(factor === 1 ? luma.slice() : reduced(luma, frame, factor), size, masks)
  }
}
