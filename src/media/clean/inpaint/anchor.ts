import { distance, enlarged, identity, type Affine } from './affine.ts'
import { align, start, type Alignment } from './align.ts'
import { pointsOf, type Points } from './points.ts'
import type { Pyramid } from './pyramid.ts'

/** A frame that others are laid onto. */
export class Anchor {
  readonly pyramid: Pyramid
  /** Takes a pixel's place in the frame to its place in the shot. */
  readonly toShot: Affine
  #points: readonly Points[] | undefined

  constructor(pyramid: Pyramid, toShot: Affine) {
    this.pyramid = pyramid
    this.toShot = toShot
  }

  /** Of each picture; the largest, which has most, are taken sparser. */
  get points(): readonly Points[] {
    this.#points ??= this.pyramid.map((picture, level) => pointsOf(picture, level === 0 ? 10 : 5))
    return this.#points
  }

  /** How this frame lies in another, from the smallest picture to the largest; undefined where nothing is to be held on to. */
  layOn(pyramid: Pyramid, from: Pick<Alignment, 'map' | 'gain' | 'offset'>): Alignment | undefined {
    const [largest] = pyramid
    if (!largest || (this.points[0]?.count ?? 0) < fewest) return undefined
    let map = enlarged(from.map, 0.5 ** (pyramid.length - 1))
    let found: Alignment | undefined
    let { gain, offset } = from
    for (let level = pyramid.length - 1; level >= 0; level -= 1) {
      const [picture, here] = [pyramid[level], this.points[level]]
      if (!picture || !here) return undefined
      const rounds = level === 0 ? 4 : 8
      found = align(here, picture, { from: { map, gain, offset }, rounds, isShift: here.count < 60 })
      ;({ gain, offset } = found)
      map = level === 0 ? found.map : enlarged(found.map, 2)
    }
    const isWild = found && distance(found.map, from.map, { width: 1, height: 1 }) > largest.width
    return found && !isWild && isGood(found) ? found : undefined
  }

  /** Where to begin: the shift of the smallest picture, up to a sixth of it, that leaves the least differences. */
  search(pyramid: Pyramid): typeof start {
    const [picture, points] = [pyramid.at(-1), this.points.at(-1)]
    if (!picture || !points) return start
    let best = { residual: Infinity, map: identity }
    const [across, along] = [Math.floor(picture.width / 6), Math.floor(picture.height / 6)]
    for (let y = -along; y <= along; y += 1) {
      for (let x = -across; x <= across; x += 1) {
        const map: Affine = [1, 0, x, 0, 1, y]
        const { residual, seen } = align(points, picture, { from: { ...start, map }, rounds: 0 })
        if (seen > 0.5 && residual < best.residual) best = { residual, map }
      }
    }
    return { ...start, map: enlarged(best.map, 2 ** (pyramid.length - 1)) }
  }

  /** Tells whether another frame shows something else: mean difference of the smallest pictures. */
  isUnlike(pyramid: Pyramid): boolean {
    const [one, other] = [this.pyramid.at(-1), pyramid.at(-1)]
    if (!one || !other) return true
    let [sum, count] = [0, 0]
    for (let at = 0; at < one.data.length; at += 1) {
      if ((one.hidden[at] ?? 1) + (other.hidden[at] ?? 1) > 0) continue
      sum += Math.abs((one.data[at] ?? 0) - (other.data[at] ?? 0))
      count += 1
    }
    return sum > alike * count
  }
}

/** Points of the largest picture without which it tells too little. */
const fewest = 50
/** Levels by which frames of one shot differ at most where nothing can be followed. */
const alike = 6

/** What is laid on another thing loses its contrast, or is drawn out of shape. */
function isGood({ gain, map: [a, b, , d, e], seen, agreeing, residual }: Alignment): boolean {
  const bent = Math.max(Math.abs(a - 1), Math.abs(e - 1), Math.abs(b), Math.abs(d))
  return gain > 0.4 && gain < 2.5 && bent < 0.4 && seen > 0.4 && (agreeing > 0.55 || residual < 4)
}
