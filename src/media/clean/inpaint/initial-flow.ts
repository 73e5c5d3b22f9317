import type { AffineMap } from './affine.ts'
import { type GreyImage, sampleBicubic } from './grey-image.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'
import type { Registration } from './refine-flow.ts'
import type { Ring } from './ring.ts'
import type { FrameCrop } from './view.ts'

/** Packed pixels in rows, three bytes each: Y, Cb, Cr. */
interface FlowImage {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Optical flow: displacement of each pixel of one image in another of the same size, in pixels, in rows. */
interface FlowField {
  readonly flowX: Float32Array
  readonly flowY: Float32Array
}

/**
 * Estimates the flow from image `one` to image `other`, in pixels: a pixel at (x, y) of `one` is at
 * (x + flowX, y + flowY) in `other`. Both images have the same size.
 */
export type EstimateFlow = (one: FlowImage, other: FlowImage) => Promise<FlowField>

/**
 * Sets the flow per cell from an external estimator, averaged over the visible samples of the ring and interpolated
 * over holes.
 */
export async function applyEstimatedFlow(
  find: EstimateFlow,
  { ring, crop }: { ring: Ring; crop: FrameCrop },
  match: Registration,
): Promise<void> {
  const found = await find(
    warpCrop(crop, (x, y) => [x, y], crop),
    warpCrop(match.crop, mapPointBy(match), crop),
  )
  const { flowX: right, flowY: down } = match
  const counts = new Float32Array(right.length)
  right.fill(0)
  down.fill(0)
  for (let index = 0; index < ring.count; index += 1) {
    const cell = ring.cell[index] ?? 0
    const at = ((ring.y[index] ?? 0) - crop.y) * crop.width + (ring.x[index] ?? 0) - crop.x
    right[cell] = (right[cell] ?? 0) + (found.flowX[at] ?? 0)
    down[cell] = (down[cell] ?? 0) + (found.flowY[at] ?? 0)
    counts[cell] = (counts[cell] ?? 0) + 1
  }
  for (let cell = 0; cell < counts.length; cell += 1) {
    const count = Math.max(1, counts[cell] ?? 0)
    right[cell] = (right[cell] ?? 0) / count
    down[cell] = (down[cell] ?? 0) / count
    counts[cell] = (counts[cell] ?? 0) > 7 ? 20 : 0
  }
  interpolateMembrane(right, counts, ring.cells)
  interpolateMembrane(down, counts, ring.cells)
}

type MapPoint = (x: number, y: number) => readonly [x: number, y: number]

function mapPointBy({ map: [a, b, c, d, e, f] }: Registration): MapPoint {
  return (x, y) => [a * x + b * y + c, d * x + e * y + f]
}

/** Warps a crop onto the pixel grid of another one, by bicubic interpolation. */
function warpCrop(
  from: FrameCrop,
  place: MapPoint,
  { x: left, y: top, width, height }: FrameCrop,
): FlowImage {
  const pixels = new Uint8Array(width * height * 3)
  const size = { width: from.width / 2, height: from.height / 2 }
  const planes = [from, { ...size, data: from.blue }, { ...size, data: from.red }] as const
  for (let at = 0; at < width * height; at += 1) {
    const [px, py] = place(left + (at % width), top + Math.floor(at / width))
    const [x, y] = [px - from.x, py - from.y]
    for (const [channel, plane] of planes.entries()) {
      const value =
        channel === 0 ? sampleBicubic(plane, x, y) : sampleBicubic(plane, (x - 0.5) / 2, (y - 0.5) / 2)
      pixels[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(value)))
    }
  }
  return { width, height, pixels }
}

/** Search range to each side, in pixels of the coarse image. */
const maxShift = 6
const shiftSide = 2 * maxShift + 1

/** Displacement per cell, in whole pixels of the coarse image. */
interface BlockShifts {
  readonly flowX: Float32Array
  readonly flowY: Float32Array
}

/**
 * Returns per cell the displacement with the least mean absolute difference over the cell and its neighbours, by
 * exhaustive search.
 */
export function searchBlocks(ring: Ring, onto: GreyImage, map: AffineMap): BlockShifts {
  const { columns, rows } = ring.cells
  const costs = new Float32Array(columns * rows * shiftSide * shiftSide)
  const counts = new Uint16Array(columns * rows)
  addBlockCosts(ring, onto, { map, costs, counts })
  const [right, down] = [new Float32Array(counts.length), new Float32Array(counts.length)]
  for (let cell = 0; cell < counts.length; cell += 1) {
    if (counts[cell] === 0) continue
    const near = neighbourCells(cell, columns, rows).filter((at) => (counts[at] ?? 0) > 0)
    const samples = near.reduce((sum, at) => sum + (counts[at] ?? 0), 0)
    let [least, best] = [Infinity, 0]
    for (let shift = 0; shift < shiftSide * shiftSide; shift += 1) {
      let sum = 0
      for (const at of near) sum += costs[at * shiftSide * shiftSide + shift] ?? 0
      const [x, y] = [(shift % shiftSide) - maxShift, Math.floor(shift / shiftSide) - maxShift]
      // Prefer the shorter of similarly good displacements.
      const cost = sum / samples + 0.25 * Math.hypot(x, y)
      if (cost < least) [least, best] = [cost, shift]
    }
    right[cell] = (best % shiftSide) - maxShift
    down[cell] = Math.floor(best / shiftSide) - maxShift
  }
  return { flowX: right, flowY: down }
}

function addBlockCosts(
  ring: Ring,
  { x: left, y: top, width, height, data, hidden }: GreyImage,
  { map: [a, b, c, d, e, f], costs, counts }: { map: AffineMap; costs: Float32Array; counts: Uint16Array },
): void {
  for (let index = 0; index < ring.count; index += 1) {
    const [px, py, cell] = [ring.x[index] ?? 0, ring.y[index] ?? 0, ring.cell[index] ?? 0]
    const x = Math.round(a * px + b * py + c - left)
    const y = Math.round(d * px + e * py + f - top)
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue
    const value = ring.value[index] ?? 0
    counts[cell] = (counts[cell] ?? 0) + 1
    let to = cell * shiftSide * shiftSide
    for (let line = y - maxShift; line <= y + maxShift; line += 1) {
      for (let column = x - maxShift; column <= x + maxShift; column += 1, to += 1) {
        const at = line * width + column
        const isOut = column < 0 || line < 0 || column >= width || line >= height || hidden[at] === 1
        costs[to] = (costs[to] ?? 0) + (isOut ? 25 : Math.min(60, Math.abs((data[at] ?? 0) - value)))
      }
    }
  }
}

function neighbourCells(cell: number, columns: number, rows: number): number[] {
  const [column, row] = [cell % columns, Math.floor(cell / columns)]
  const near: number[] = []
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1)
      near.push(y * columns + x)
  }
  return near
}
