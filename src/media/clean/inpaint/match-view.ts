import { scaleMap } from './affine.ts'
import { alignPoints } from './align.ts'
import { downsampleCrop, fitBrightness, type Ring } from './ring.ts'
import {
  accumulateResiduals,
  cellDeviation,
  hasLocalMotion,
  refineFlow,
  type Registration,
  sumsPerCell,
} from './refine-flow.ts'
import { applyEstimatedFlow, type EstimateFlow, searchBlocks } from './initial-flow.ts'
import type { SourceView } from './pick-sources.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'
import type { FrameCrop } from './view.ts'

/** Registration of a view on the frame being filled, and differences between both per cell. */
export interface ViewMatch extends Registration {
  /** Whether there is no local motion, so that the flow is zero. */
  readonly isStatic: boolean
  /** Correction of warped samples per cell, in levels. */
  readonly lumaOffset: Float32Array
  readonly blueOffset: Float32Array
  readonly redOffset: Float32Array
  /** Deviation between view and frame per cell, in levels. */
  readonly residual: Float32Array
}

/** Samples of a patch's surroundings, at full and reduced size. */
export interface RingPyramid {
  readonly fine: Ring
  /** Computed on first use. */
  readonly coarse: () => Ring
  /** The crop from which both are sampled. */
  readonly crop: FrameCrop
}

/**
 * Registers a view on the ring around a patch, starting from the match for the previous frame if there is one.
 * Undefined if the view has hardly any contrast in common with the frame.
 */
export async function matchView(
  { fine, coarse, crop: now }: RingPyramid,
  { crop, map }: Pick<SourceView, 'crop' | 'map'>,
  { before, flow }: { before?: ViewMatch | undefined; flow?: EstimateFlow | undefined } = {},
): Promise<ViewMatch | undefined> {
  const found = alignPoints(fine.points, crop, {
    from: { gain: before?.gain ?? 1, offset: before?.offset ?? 0, map },
    rounds: 5,
  })
  // In nearly black frames, feature points are unreliable and bias the gain towards 1.
  const usesRingFit = fine.points.count < 40 || Math.abs(Math.log(found.gain)) > 0.3
  const { gain, offset } = (usesRingFit ? fitBrightness(fine, crop, found.map) : undefined) ?? found
  if (gain < 0.15) return undefined
  const { columns, rows } = fine.cells
  const cells = columns * rows
  const [flowX, flowY] = [new Float32Array(cells), new Float32Array(cells)]
  const match = { crop, map: found.map, gain, offset, flowX, flowY }
  const still = accumulateResiduals(fine, match)
  if (!hasLocalMotion(still, cells)) {
    return { ...match, isStatic: true, ...lumaOffsets(still, fine), ...chromaOffsets(fine, match) }
  }
  // The flow of the previous frame is a close estimate.
  const rounds = before && !flow ? 1 : 3
  if (flow) await applyEstimatedFlow(flow, { ring: fine, crop: now }, match)
  else if (before) {
    flowX.set(before.flowX)
    flowY.set(before.flowY)
  } else searchCoarseFlow(coarse(), match, fine.cells.size)
  let sums = accumulateResiduals(fine, match)
  for (let round = 0; round < rounds && hasLocalMotion(sums, cells); round += 1) {
    refineFlow(fine, match, sums)
    sums = accumulateResiduals(fine, match)
  }
  return { ...match, isStatic: false, ...lumaOffsets(sums, fine), ...chromaOffsets(fine, match) }
}

/** Estimates flow at reduced size by block search and refinement, then scales it up. */
function searchCoarseFlow(coarse: Ring, match: Registration, size: number): void {
  const factor = size / coarse.cells.size
  const small = { ...match, crop: downsampleCrop(match.crop, factor), map: scaleMap(match.map, 1 / factor) }
  const shifts = searchBlocks(coarse, small.crop, small.map)
  match.flowX.set(shifts.flowX)
  match.flowY.set(shifts.flowY)
  for (let round = 0; round < 4; round += 1) refineFlow(coarse, small, accumulateResiduals(coarse, small))
  for (let cell = 0; cell < match.flowX.length; cell += 1) {
    match.flowX[cell] = (match.flowX[cell] ?? 0) * factor
    match.flowY[cell] = (match.flowY[cell] ?? 0) * factor
  }
}

function lumaOffsets(sums: Float64Array, { cells }: Ring): Pick<ViewMatch, 'lumaOffset' | 'residual'> {
  const count = cells.columns * cells.rows
  const [lumaOffset, residual, weights, even] = [0, 0, 0, 0].map(() => new Float32Array(count)) as [
    ...[Float32Array, Float32Array, Float32Array, Float32Array],
  ]
  for (let cell = 0; cell < count; cell += 1) {
    const deviation = cellDeviation(sums, cell)
    if (deviation === undefined) continue
    const mean = (sums[cell * sumsPerCell + 1] ?? 0) / (sums[cell * sumsPerCell] ?? 1)
    lumaOffset[cell] = -mean
    residual[cell] = Math.hypot(deviation, mean)
    even[cell] = 1
    weights[cell] = 2 / (1 + (deviation / 6) ** 2 + (mean / 12) ** 2)
  }
  interpolateMembrane(lumaOffset, weights, cells)
  interpolateMembrane(residual, even, cells)
  return { lumaOffset, residual }
}

/** Returns the chroma correction per cell, in levels. */
function chromaOffsets(
  ring: Ring,
  { crop, map: [a, b, c, d, e, f], gain }: Registration,
): Pick<ViewMatch, 'blueOffset' | 'redOffset'> {
  const count = ring.cells.columns * ring.cells.rows
  const [blue, red, seen] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  const [width, height] = [crop.width / 2, crop.height / 2]
  for (let index = 0; index < ring.count; index += 2) {
    const [px, py, cell] = [ring.x[index] ?? 0, ring.y[index] ?? 0, ring.cell[index] ?? 0]
    const x = Math.round((a * px + b * py + c - crop.x) / 2 - 0.25)
    const y = Math.round((d * px + e * py + f - crop.y) / 2 - 0.25)
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue
    if (crop.hidden[y * 2 * crop.width + x * 2] !== 0) continue
    const at = y * width + x
    blue[cell] = (blue[cell] ?? 0) + (ring.blue[index] ?? 128) - 128 - ((crop.blue[at] ?? 128) - 128) / gain
    red[cell] = (red[cell] ?? 0) + (ring.red[index] ?? 128) - 128 - ((crop.red[at] ?? 128) - 128) / gain
    seen[cell] = (seen[cell] ?? 0) + 1
  }
  for (let cell = 0; cell < count; cell += 1) {
    const samples = seen[cell] ?? 0
    if (samples > 0) [blue[cell], red[cell]] = [(blue[cell] ?? 0) / samples, (red[cell] ?? 0) / samples]
    // A large chroma difference indicates a different object.
    const far = Math.hypot(blue[cell] ?? 0, red[cell] ?? 0)
    seen[cell] = samples < 4 ? 0 : 1 / (1 + (far / 4) ** 2)
  }
  interpolateMembrane(blue, seen, ring.cells)
  interpolateMembrane(red, seen, ring.cells)
  return { blueOffset: blue, redOffset: red }
}
