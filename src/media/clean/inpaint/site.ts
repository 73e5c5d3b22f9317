import type { Frame, Patch } from '../frame.ts'
import { blendLayers, type PatchFill } from './blend.ts'
import { releaseLayers, type WarpedLayer, warpPatch } from './warp-patch.ts'
import type { CellGrid } from './cell-grid.ts'
import { matchView, type RingPyramid } from './match-view.ts'
import { locateSource } from './pick-sources.ts'
import type { FrameView } from './view.ts'

/** A patch being filled on one frame. */
export interface FillSite {
  readonly patch: Patch
  readonly cells: CellGrid
  readonly rings: RingPyramid
  readonly fill: PatchFill
}

/** A frame whose patches are filled as far as other frames show their background. */
export interface PartialFrame {
  readonly frame: Frame
  readonly now: FrameView
  readonly sites: readonly FillSite[]
  /** Views of earlier and later frames. */
  readonly views: readonly FrameView[]
}

/** Whether a masked pixel of a patch is not filled yet. */
export function hasUnfilled({ mask }: Patch, { isFilled }: PatchFill): boolean {
  return mask.some((is, at) => is === 1 && isFilled[at] === 0)
}

/** Warps a synthesized view onto a patch. Returns the layer and the mean deviation of the surroundings, in levels. */
export async function warpView(
  { patch, cells, rings }: FillSite,
  now: FrameView,
  { view, weight }: { view: FrameView; weight: number },
): Promise<{ layer: WarpedLayer; residual: number } | undefined> {
  const source = locateSource(view, now, cells)
  const match = source && (await matchView(rings, source))
  if (!match) return undefined
  let [sum, count] = [0, 0]
  for (let at = 0; at < cells.ringDistance.length; at += 1) {
    if (cells.ringDistance[at] !== 1) continue
    sum += match.residual[at] ?? 0
    count += 1
  }
  // Alignment used visible pixels only; the synthesized pixels are used as well.
  const crop = { ...match.crop, hidden: new Uint8Array(match.crop.hidden.length) }
  return {
    layer: warpPatch(patch, cells, { match: { ...match, crop }, scale: weight }),
    residual: sum / Math.max(1, count),
  }
}

/** Fills the remaining pixels of a patch from layers. */
export function applyLayers(patch: Patch, filling: PatchFill, layers: readonly WarpedLayer[]): void {
  if (layers.length === 0) return
  const rest = blendLayers(patch, layers)
  releaseLayers(layers)
  const { width } = patch
  for (let at = 0; at < rest.isFilled.length; at += 1) {
    if (filling.isFilled[at] === 1 || rest.isFilled[at] === 0) continue
    filling.isFilled[at] = 1
    filling.luma[at] = rest.luma[at] ?? 0
    const [row, column] = [Math.floor(at / width), at % width]
    // The top left pixel of a 2 x 2 block determines its chroma; the chroma of other blocks may be filled already.
    if ((row | column) & 1) continue
    const small = (row >> 1) * (width >> 1) + (column >> 1)
    filling.blue[small] = rest.blue[small] ?? 128
    filling.red[small] = rest.red[small] ?? 128
  }
}
