import type { FramePlane } from './frame.ts'
import type { SoftMask } from './blur.ts'

/** A rectangle of a plane and how much of each pixel to replace, 0 to 255. */
export interface WeightedRect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly weights: SoftMask['luma']
}

/**
 * A plane at a reduced size: each cell is the mean of `step` by `step` samples. `x` and `y` are the position of the
 * first cell in the plane.
 */
export interface DownscaledPlane {
  readonly x: number
  readonly y: number
  readonly step: number
  readonly width: number
  readonly height: number
  cells: Float32Array
}

/** Edges of a part of a plane, in samples; `right` and `bottom` are exclusive. */
interface PlaneBounds {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/**
 * Downscales a part of a plane by an integer factor. Cells at the right and bottom edge average the samples that exist.
 */
export function downscalePlane(
  { bytes, width: stride }: FramePlane,
  { left, top, right, bottom }: PlaneBounds,
  step: number,
): DownscaledPlane {
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

/**
 * Writes a downscaled plane over a rectangle, with bilinear interpolation, mixed with the existing samples by their
 * weights.
 */
export function upscaleOnto(
  { bytes, width: stride }: FramePlane,
  { x, y, width, height, weights }: WeightedRect,
  small: DownscaledPlane,
): void {
  const line = new Int32Array(small.width)
  for (let row = 0; row < height; row++) {
    mixRows(small, (y - small.y + row + 0.5) / small.step - 0.5, line)
    const from = (y + row) * stride + x
    const pixels = bytes.subarray(from, from + width)
    interpolateRow(
      line,
      { pixels, weights: weights.subarray(row * width, (row + 1) * width) },
      {
        offset: x - small.x,
        step: small.step,
      },
    )
  }
}

/** Interpolates between two rows of cells, in 1/256 levels, into `line`. `place` is the row position in cells. */
function mixRows({ cells, width, height }: DownscaledPlane, place: number, line: Int32Array): void {
  const upper = Math.max(0, Math.min(height - 1, Math.floor(place)))
  const lower = Math.min(height - 1, Math.floor(place) + 1)
  const share = place - Math.floor(place)
  for (let cell = 0; cell < width; cell++) {
    const above = cells[upper * width + cell] ?? 0
    line[cell] = Math.round(256 * (above + ((cells[lower * width + cell] ?? 0) - above) * share))
  }
}

interface WeightedRow {
  readonly pixels: Uint8Array
  readonly weights: Uint8Array
}

/**
 * Writes one row of pixels, interpolating linearly between cell centres in 1/65,536 levels, at one addition per pixel.
 */
function interpolateRow(
  line: Int32Array,
  { pixels, weights }: WeightedRow,
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
