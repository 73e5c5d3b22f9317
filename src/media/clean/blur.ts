import { type DownscaledPlane, downscalePlane, upscaleOnto, type WeightedRect } from './downscaled-plane.ts'
import { type Frame, type FramePlane, framePlanes, type FrameTreatment, type Patch } from './frame.ts'
import { interpolateMembrane } from './inpaint/interpolate-membrane.ts'

/**
 * Blurs the masked pixels of every frame until text can be neither read nor detected, with a soft edge. Each frame is
 * processed on its own, so a static background stays static.
 */
export const blur: FrameTreatment = async function* blurred(frames, { first, patchesAt }) {
  let index = first
  for await (const frame of frames) {
    for (const patch of patchesAt(index)) blurPatch(frame, patch)
    index += 1
    yield frame
  }
}

/** Blurs one patch of a frame in place: luma and both chroma planes. */
export function blurPatch(frame: Frame, patch: Patch): void {
  const weights = softMask(patch, frame)
  const [light, ...colours] = framePlanes(frame)
  const spread = blurSigma(patch, frame)
  blurPlane(light, { ...patch, weights: weights.luma }, spread)
  const half = {
    x: patch.x / 2,
    y: patch.y / 2,
    width: patch.width / 2,
    height: patch.height / 2,
    weights: weights.chroma,
  }
  for (const colour of colours) blurPlane(colour, half, Math.max(2, spread >> 1))
}

/**
 * Standard deviation of the blur, in pixels: the shorter side of the patch, which for a line of text is its height.
 * Strokes and letters vanish; words, which a detector also finds, keep a tenth of their contrast. At least 6 and at
 * most a sixth of the frame's height.
 */
function blurSigma({ width, height }: Patch, frame: Frame): number {
  return Math.max(6, Math.min(width, height, Math.round(frame.height / 6)))
}

/** Width of a standard deviation, in cells of the downscaled plane. More cells take longer without a visible gain. */
const cellsWide = 4

function blurPlane(plane: FramePlane, place: WeightedRect, spread: number): void {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(spread / cellsWide)))
  const small = downscalePlane(plane, blurBounds(place, spread, plane), step)
  const radius = Math.max(1, Math.round(spread / step))
  const sharp = small.cells
  for (let pass = 0; pass < 3; pass++) small.cells = boxBlur(small, radius)
  matchSurroundings(small, sharp, pinWeights(place, small, radius))
  upscaleOnto(plane, place, small)
}

/**
 * Adjusts a blurred plane to its surroundings, in place. Adds the difference between sharp and blurred plane at the
 * edge, fading inwards (membrane interpolation); without it the blur is a visible slab. In a patch as low as a line of
 * text, little of the original brightness remains.
 */
function matchSurroundings(small: DownscaledPlane, sharp: Float32Array, springs: Float32Array): void {
  const difference = sharp.map((value, at) => (springs[at] === pinned ? value - (small.cells[at] ?? 0) : 0))
  interpolateMembrane(difference, springs, { columns: small.width, rows: small.height })
  for (let at = 0; at < difference.length; at++)
    small.cells[at] = (small.cells[at] ?? 0) + (difference[at] ?? 0)
}

/** Membrane weight of cells outside the mask, which keep their value. */
const pinned = 1000

const knownPinWeights = new WeakMap<Uint8Array, Float32Array>()

/**
 * Membrane weight per cell: `pinned` outside the mask; inside, a weight that lets the offset fade over the blur radius,
 * in cells. Cached per weight plane.
 */
function pinWeights(
  { x, y, width, weights }: WeightedRect,
  small: DownscaledPlane,
  radius: number,
): Float32Array {
  const found = knownPinWeights.get(weights)
  if (found) return found
  const springs = new Float32Array(small.cells.length).fill(pinned)
  for (let at = 0; at < weights.length; at++) {
    if (weights[at] === 0) continue
    const column = Math.floor((x - small.x + (at % width)) / small.step)
    const row = Math.floor((y - small.y + Math.floor(at / width)) / small.step)
    springs[row * small.width + column] = 1 / radius ** 2
  }
  knownPinWeights.set(weights, springs)
  return springs
}

/**
 * Returns the bounds of the plane that influence the blur of a patch: its rectangle extended by `reach` pixels and
 * clipped to the plane.
 */
function blurBounds({ x, y, width, height }: WeightedRect, reach: number, plane: FramePlane) {
  return {
    left: Math.max(0, x - reach),
    top: Math.max(0, y - reach),
    right: Math.min(plane.width, x + width + reach),
    bottom: Math.min(plane.height, y + height + reach),
  }
}

/**
 * Mean over a square window of 2 radius + 1 cells, along rows and then columns. Cells outside repeat the nearest edge
 * cell.
 */
function boxBlur({ cells, width, height }: DownscaledPlane, radius: number): Float32Array {
  const across = new Float32Array(cells.length)
  for (let row = 0; row < height; row++) {
    boxBlurLine(cells, across, { start: row * width, step: 1, length: width, radius })
  }
  const down = new Float32Array(cells.length)
  for (let column = 0; column < width; column++) {
    boxBlurLine(across, down, { start: column, step: width, length: height, radius })
  }
  return down
}

interface StridedLine {
  readonly start: number
  readonly step: number
  readonly length: number
  readonly radius: number
}

function boxBlurLine(
  from: Float32Array,
  to: Float32Array,
  { start, step, length, radius }: StridedLine,
): void {
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

/** How much of each pixel of a patch to replace, 0 (keep) to 255 (replace), in rows. */
export interface SoftMask {
  readonly luma: Uint8Array
  /**
   * Per chroma sample, at half the width and height. A sample covers four pixels and takes the least of their weights.
   */
  readonly chroma: Uint8Array
}

const softMasks = new WeakMap<Patch, SoftMask>()

/**
 * Returns the soft mask of a patch, rising from 0 at the edge of its mask inwards. The edge of the frame does not count
 * as an edge. Cached per patch.
 */
function softMask(patch: Patch, frame: Pick<Frame, 'width' | 'height'>): SoftMask {
  const found = softMasks.get(patch)
  if (found) return found
  const light = soften(patch, frame)
  const weights = { luma: light, chroma: halveMask(light, patch) }
  softMasks.set(patch, weights)
  return weights
}

/** Width of the soft edge, 1 to 4 pixels. Narrow, because text that reaches the edge shows through it. */
function softEdgeWidth({ width, height }: Patch): number {
  return Math.max(1, Math.min(4, Math.round(Math.min(width, height) / 16)))
}

function soften(patch: Patch, frame: Pick<Frame, 'width' | 'height'>): Uint8Array {
  const soft = softEdgeWidth(patch)
  const steps = Uint8Array.from({ length: soft + 2 }, (_, distance) => {
    const share = Math.min(1, distance / (soft + 1))
    return Math.round(255 * share * share * (3 - 2 * share))
  })
  return edgeDistances(patch, { most: soft + 1, frame }).map((distance) => steps[distance] ?? 255)
}

interface DistanceOptions {
  readonly most: number
  readonly frame: Pick<Frame, 'width' | 'height'>
}

/** Chessboard distance from each pixel to the nearest unmasked pixel, at most `most`, in rows. */
function edgeDistances({ x, y, width, height, mask }: Patch, { most, frame }: DistanceOptions): Uint8Array {
  // One extra pixel on each side: pixels beside the patch are unmasked; pixels outside the frame do not count.
  const stride = width + 2
  const far = new Uint8Array(stride * (height + 2)).fill(most)
  const rim = { top: y > 0, left: x > 0, bottom: y + height < frame.height, right: x + width < frame.width }
  if (rim.top) far.fill(0, 0, stride)
  if (rim.bottom) far.fill(0, stride * (height + 1))
  for (let row = 1; row <= height; row++) {
    if (rim.left) far[row * stride] = 0
    if (rim.right) far[row * stride + width + 1] = 0
    for (let column = 1; column <= width; column++) {
      if (mask[(row - 1) * width + column - 1] === 0) far[row * stride + column] = 0
    }
  }
  const places = Array.from({ length: height }, (_, row) => (row + 1) * stride + 1)
  const before = [-1, -stride - 1, -stride, 1 - stride]
  for (const from of places) {
    for (let at = from; at < from + width; at++) relax(far, at, before)
  }
  const after = before.map((offset) => -offset)
  for (const from of places.toReversed()) {
    for (let at = from + width - 1; at >= from; at--) relax(far, at, after)
  }
  const result = new Uint8Array(width * height)
  for (const [row, from] of places.entries()) result.set(far.subarray(from, from + width), row * width)
  return result
}

function relax(far: Uint8Array, at: number, neighbours: readonly number[]): void {
  let nearest = far[at] ?? 0
  for (const offset of neighbours) nearest = Math.min(nearest, (far[at + offset] ?? 0) + 1)
  far[at] = nearest
}

function halveMask(light: Uint8Array, { width, height }: Patch): Uint8Array {
  const colour = new Uint8Array(light.length / 4)
  for (let row = 0, to = 0; row < height; row += 2) {
    for (let column = 0; column < width; column += 2, to++) {
      const at = row * width + column
      colour[to] = Math.min(
        light[at] ?? 0,
        light[at + 1] ?? 0,
        light[at + width] ?? 0,
        light[at + width + 1] ?? 0,
      )
    }
  }
  return colour
}
