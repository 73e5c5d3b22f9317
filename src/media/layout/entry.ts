import { outputRatios, type LayoutEntry, type OutputRatio } from '../../contract/catalog.ts'
import { isLayoutOffered } from './choose.ts'
import { layoutsFor, slotShares, slotCounts } from './layout.ts'
import type { Layout } from './layout.ts'
import { drawSketch } from './sketch.ts'

interface ListLayoutsOptions {
  readonly slotCount?: number | undefined
  /** Only layouts offered for results of this shape. */
  readonly ratio?: OutputRatio | undefined
}

/** The layouts of the catalogue that pass a filter, by number of slots and rising id. */
export function listLayouts({ slotCount, ratio }: ListLayoutsOptions): readonly Layout[] {
  const layouts = (slotCount === undefined ? slotCounts : [slotCount]).flatMap(layoutsFor)
  return ratio === undefined ? layouts : layouts.filter((layout) => isLayoutOffered(layout, ratio))
}

/** A layout as the catalogue shows it, drawn in a shape of the result. */
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

/** Six digits tell any two shares apart. */
const roundShare = (share: number): number => Number(share.toFixed(6))
