import { planesOf, type Plane } from './planes.ts'
import type { Frame, Patch, Treat } from './patch.ts'
import { weightsOf, type Weights } from './weights.ts'

/**
 * Blurs what the masks mark, so strongly that text is neither read nor found again, with an edge that becomes soft
 * inside them. Of each frame alone: what stands still looks still.
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

interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly weights: Weights['light']
}

/** Cells a standard deviation is wide when the picture is made small for it: finer would be slower, not better. */
const cellsWide = 4

function blurPlane(plane: Plane, place: Place, spread: number): void {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(spread / cellsWide)))
  const small = shrink(plane, around(place, spread, plane), step)
  const radius = Math.max(1, Math.round(spread / step))
  for (let pass = 0; pass < 3; pass++) small.cells = boxBlur(small, radius)
  lay(plane, place, small)
}

/** A picture made small: each cell the mean of `step` by `step` pixels, the first at a place of the plane. */
interface Small {
  readonly x: number
  readonly y: number
  readonly step: number
  readonly width: number
  readonly height: number
  cells: Float32Array
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

function shrink(
  { bytes, width: stride }: Plane,
  { left, top, right, bottom }: ReturnType<typeof around>,
  step: number,
): Small {
  const width = Math.ceil((right - left) / step)
  const height = Math.ceil((bottom - top) / step)
  const cells = new Float32Array(width * height)
  const sums = new Uint32Array(width)
  for (let row = 0; row < height; row++) {
    const from = top + row * step
    const to = Math.min(bottom, from + step)
    sums.fill(0)
    for (let line = from; line < to; line++) {
      for (let column = 0, at = line * stride + left; column < width; column++) {
        const end = Math.min(line * stride + right, at + step)
        let sum = 0
        for (; at < end; at++) sum += bytes[at] ?? 0
        sums[column] = (sums[column] ?? 0) + sum
      }
    }
    for (let column = 0; column < width; column++) {
      const across = Math.min(step, right - left - column * step)
      cells[row * width + column] = (sums[column] ?? 0) / (across * (to - from))
    }
  }
  return { x: left, y: top, step, width, height, cells }
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

/** Lays a small picture over its place, smoothly between its cells, as far as the weights say. */
function lay({ bytes, width: stride }: Plane, { x, y, width, height, weights }: Place, small: Small): void {
  const line = new Int32Array(small.width)
  for (let row = 0; row < height; row++) {
    mixRows(small, (y - small.y + row + 0.5) / small.step - 0.5, line)
    const from = (y + row) * stride + x
    const pixels = bytes.subarray(from, from + width)
    layRow(
      line,
      { pixels, weights: weights.subarray(row * width, (row + 1) * width) },
      {
        offset: x - small.x,
        step: small.step,
      },
    )
  }
}

/** The row at a place between two rows of cells, in 256ths. */
function mixRows({ cells, width, height }: Small, place: number, line: Int32Array): void {
  const upper = Math.max(0, Math.min(height - 1, Math.floor(place)))
  const lower = Math.min(height - 1, Math.floor(place) + 1)
  const share = place - Math.floor(place)
  for (let cell = 0; cell < width; cell++) {
    const above = cells[upper * width + cell] ?? 0
    line[cell] = Math.round(256 * (above + ((cells[lower * width + cell] ?? 0) - above) * share))
  }
}

interface Row {
  readonly pixels: Uint8Array
  readonly weights: Uint8Array
}

/** Between the middles of two cells brightness changes evenly, so that a pixel costs one addition, in 65536ths. */
function layRow(
  line: Int32Array,
  { pixels, weights }: Row,
  { offset, step }: { offset: number; step: number },
): void {
  const half = step >> 1
  let cell = Math.floor((offset - half) / step)
  for (let column = 0; column < pixels.length; cell++) {
    const begin = cell * step + half - offset
    const end = Math.min(pixels.length, begin + step)
    const left = line[Math.max(0, cell)] ?? 0
    const slope = (((line[Math.min(line.length - 1, cell + 1)] ?? 0) - left) << 8) / step
    let value = (left << 8) + slope * (column - begin) + (step > 1 ? slope / 2 : 0) + 32_768
    for (; column < end; column++, value += slope) {
      const weight = weights[column] ?? 0
      if (weight === 255) pixels[column] = value >> 16
      else if (weight > 0) {
        const sharp = pixels[column] ?? 0
        pixels[column] = sharp + ((((value >> 16) - sharp) * weight) >> 8)
      }
    }
  }
}
