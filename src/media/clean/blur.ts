import { spread as spreadOut } from './inpaint/spread.ts'
import { planesOf, type Plane } from './planes.ts'
import type { Frame, Patch, Treat } from './patch.ts'
import { lay, shrink, type Place, type Small } from './small-picture.ts'
import { weightsOf } from './weights.ts'

/**
 * Blurs what the masks mark, so strongly that text is neither read nor found again, passing softly into what lies
 * around. Of each frame alone: what stands still looks still.
 */
export const blur: Treat = async function* blurred(frames, { first, patchesAt }) {
  let index = first
  for await (const frame of frames) {
    for (const patch of patchesAt(index)) blurPatch(frame, patch)
    index += 1
    yield frame
  }
}

/** Blurs one place of a frame. */
export function blurPatch(frame: Frame, patch: Patch): void {
  const weights = weightsOf(patch, frame)
  const [light, ...colours] = planesOf(frame)
  const spread = spreadOf(patch, frame)
  blurPlane(light, { ...patch, weights: weights.light }, spread)
  const half = {
    x: patch.x / 2,
    y: patch.y / 2,
    width: patch.width / 2,
    height: patch.height / 2,
    weights: weights.colour,
  }
  for (const colour of colours) blurPlane(colour, half, Math.max(2, spread >> 1))
}

/**
 * Standard deviation of the blur, pixels. Of a line of text it is the line's height: strokes and letters vanish, and
 * of words, which a detector finds as well, a tenth of the contrast is left. At most a sixth of the picture's height.
 */
function spreadOf({ width, height }: Patch, frame: Frame): number {
  return Math.max(6, Math.min(width, height, Math.round(frame.height / 6)))
}

/** Cells a standard deviation is wide when the picture is made small for it: finer would be slower, not better. */
const cellsWide = 4

function blurPlane(plane: Plane, place: Place, spread: number): void {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(spread / cellsWide)))
  const small = shrink(plane, around(place, spread, plane), step)
  const radius = Math.max(1, Math.round(spread / step))
  const sharp = small.cells
  for (let pass = 0; pass < 3; pass++) small.cells = boxBlur(small, radius)
  meet(small, sharp, springsOf(place, small, radius))
  lay(plane, place, small)
}

/**
 * Has a blur meet what lies around; by itself it is a slab as bright as what it hides. What the two differ by at the
 * edge is taken into the blur, less and less inwards. A line of text is so low that little of its brightness is left.
 */
function meet(small: Small, sharp: Float32Array, springs: Float32Array): void {
  const apart = sharp.map((value, at) => (springs[at] === held ? value - (small.cells[at] ?? 0) : 0))
  spreadOut(apart, springs, { columns: small.width, rows: small.height })
  for (let at = 0; at < apart.length; at++) small.cells[at] = (small.cells[at] ?? 0) + (apart[at] ?? 0)
}

/** How firmly a cell is held to what lies around, which stays. */
const held = 1000

const known = new WeakMap<Uint8Array, Float32Array>()

/**
 * How firmly each cell keeps what it shows: one of which nothing is treated, wholly; the others keep to their blur, so
 * that what is taken into it fades over its radius.
 */
function springsOf({ x, y, width, weights }: Place, small: Small, radius: number): Float32Array {
  const found = known.get(weights)
  if (found) return found
  const springs = new Float32Array(small.cells.length).fill(held)
  for (let at = 0; at < weights.length; at++) {
    if (weights[at] === 0) continue
    const column = Math.floor((x - small.x + (at % width)) / small.step)
    const row = Math.floor((y - small.y + Math.floor(at / width)) / small.step)
    springs[row * small.width + column] = 1 / radius ** 2
  }
  known.set(weights, springs)
  return springs
}

/** What a place is blurred of: it and more of the picture around it. */
function around({ x, y, width, height }: Place, reach: number, plane: Plane) {
  return {
    left: Math.max(0, x - reach),
    top: Math.max(0, y - reach),
    right: Math.min(plane.width, x + width + reach),
    bottom: Math.min(plane.height, y + height + reach),
  }
}

/** The mean of what lies within a radius along both axes; beyond the edges they go on. */
function boxBlur({ cells, width, height }: Small, radius: number): Float32Array {
  const across = new Float32Array(cells.length)
  for (let row = 0; row < height; row++) {
    slide(cells, across, { start: row * width, step: 1, length: width, radius })
  }
  const down = new Float32Array(cells.length)
  for (let column = 0; column < width; column++) {
    slide(across, down, { start: column, step: width, length: height, radius })
  }
  return down
}

interface Line {
  readonly start: number
  readonly step: number
  readonly length: number
  readonly radius: number
}

function slide(from: Float32Array, to: Float32Array, { start, step, length, radius }: Line): void {
  const first = from[start] ?? 0
  const last = from[start + (length - 1) * step] ?? 0
  const at = (index: number) =>
    index < 0 ? first : index < length ? (from[start + index * step] ?? 0) : last
  const share = 1 / (2 * radius + 1)
  let sum = first * radius
  for (let index = 0; index <= radius; index++) sum += at(index)
  for (let index = 0; index < length; index++) {
    to[start + index * step] = sum * share
    sum += at(index + radius + 1) - at(index - radius)
  }
}
