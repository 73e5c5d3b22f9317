import { outputRatios, type LayoutEntry, type OutputRatio } from '../../contract/catalog.ts'
import { isLayoutOffered } from './choose.ts'
import { layoutsFor, slotShares, slotCounts } from './layout.ts'
import type { Layout } from './layout.ts'
import { drawSketch } from './sketch.ts'

interface ListLayoutsOptions {
  readonly slotCount?: number | undefined
  /** Restricts the list to layouts offered for this output ratio. */
  readonly ratio?: OutputRatio | undefined
}

/** Returns the catalogue's layouts that match a filter, sorted by number of slots, then id. */
export function listLayouts({ slotCount, ratio }: ListLayoutsOptions): readonly Layout[] {
  const layouts = (slotCount === undefined ? slotCounts : [slotCount]).flatMap(layoutsFor)
  return ratio === undefined ? layouts : layouts.filter((layout) => isLayoutOffered(layout, ratio))
}

/** Returns the catalogue entry of a layout, drawn in an output ratio. */
export function describeLayout(layout: Layout, ratio: OutputRatio): LayoutEntry {
  return {
    layout_id: layout.id,
    slot_count: layout.clips,
    equivalence_key: layout.equivalenceKey,
    ratios: outputRatios.filter((each) => isLayoutOffered(layout, each)),
    slots: slotShares(layout).map(({ x, y, width, height }) => ({
      x: roundShare(x),
      y: roundShare(y),
      width: roundShare(width),
      height: roundShare(height),
    })),
    svg: drawSketch(layout, ratio),
  }
}

/** Six decimals distinguish any two fractions. */
const roundShare = (share: number): number => Number(share.toFixed(6))
