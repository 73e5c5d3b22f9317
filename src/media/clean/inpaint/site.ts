import type { Frame, Patch } from '../frame.ts'
import { blendLayers, type PatchFill } from './blend.ts'
import { releaseLayers, type WarpedLayer, warpPatch } from './warp-patch.ts'
import type { CellGrid } from './cell-grid.ts'
import { matchView, type RingPyramid } from './match-view.ts'
import { locateSource } from './pick-sources.ts'
import type { FrameView } from './view.ts'

/** A patch of a frame that is being filled. */
export interface FillSite {
  readonly patch: Patch
  readonly cells: CellGrid
  readonly rings: RingPyramid
  readonly fill: PatchFill
}

/** A frame whose patches are filled as far as other frames show what they hide. */
export interface PartialFrame {
  readonly frame: Frame
  readonly now: FrameView
  readonly sites: readonly FillSite[]
  /** Frames before and after it. */
  readonly views: readonly FrameView[]
}

/** Tells whether something of a patch is not filled yet. */
export function hasUnfilled({ mask }: Patch, { isFilled }: PatchFill): boolean {
  return mask.some((is, at) => is === 1 && isFilled[at] === 0)
}

/** What a picture shows of a patch where its hidden part was made up, and how unlike its surroundings have become, in levels. */
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
  // It was laid on by what was seen alone; all of it is taken.
  const crop = { ...match.crop, hidden: new Uint8Array(match.crop.hidden.length) }
  return {
    layer: warpPatch(patch, cells, { match: { ...match, crop }, scale: weight }),
    residual: sum / Math.max(1, count),
  }
}

/** Fills what is left by layers. */
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
    // The first of the four pixels that share a sample of colour tells it; that of the others may be known already.
    if ((row | column) & 1) continue
    const small = (row >> 1) * (width >> 1) + (column >> 1)
    filling.blue[small] = rest.blue[small] ?? 128
    filling.red[small] = rest.red[small] ?? 128
  }
}
