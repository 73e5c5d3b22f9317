import { type LayoutEntry, type OutputRatio, outputRatios } from '../../contract/catalog.ts'
import type { Size } from '../geometry.ts'
import { canvasSize } from './canvas.ts'
import { isLayoutOffered } from './choose.ts'
import { type Layout, layoutsFor, slotCounts, slotRects, slotShares } from './layout.ts'

interface ListLayoutsOptions {
  readonly slotCount?: number | undefined
  /** Restricts the list to layouts offered for this output ratio. */
  readonly ratio?: OutputRatio | undefined
}

/** Returns the layouts of the catalogue that match a filter, sorted by number of slots, then id. */
export function listLayouts({ slotCount, ratio }: ListLayoutsOptions): readonly Layout[] {
  const layouts = (slotCount === undefined ? slotCounts : [slotCount]).flatMap(layoutsFor)
  return ratio === undefined ? layouts : layouts.filter((layout) => isLayoutOffered(layout, ratio))
}

/** Returns the catalogue entry of a layout, with a sketch in an output ratio. */
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

/** Rounds a share to six decimals, which distinguish any two shares. */
const roundShare = (share: number): number => Number(share.toFixed(6))

/** Longer side of a sketch, pixels. */
const sketchSide = 96

/** Gap between the slots of a sketch, pixels. */
const sketchGap = 2

/** Side of a slot below which its number is drawn small, pixels. */
const narrowSlotSide = 13

/** SVG text attributes of the element that contains a sketch. */
export const sketchTextAttributes = 'font-family="sans-serif" font-size="11" text-anchor="middle" fill="#222"'

/** Returns the size of a sketch in an output ratio, pixels. */
export function sketchSize(ratio: OutputRatio): Size {
  const { width, height } = canvasSize(ratio, '720p')
  const scale = sketchSide / Math.max(width, height)
  return { width: Math.round(width * scale), height: Math.round(height * scale) }
}

/**
 * Returns the slots of a layout as SVG elements, numbered by clip from 1. The parent element requires
 * `sketchTextAttributes`.
 */
export function drawSlots(layout: Layout, ratio: OutputRatio): string {
  const slots = slotRects(layout, sketchSize(ratio), { gap: sketchGap, step: 1 })
  const outline = slots.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h-${width}z`).join('')
  const numbers = slots.map(({ x, y, width, height }, clip) => {
    const font = height < narrowSlotSide || width < narrowSlotSide ? ' font-size="8"' : ''
    return `<text x="${x + width / 2}" y="${y + height / 2 + (font ? 3 : 4)}"${font}>${clip + 1}</text>`
  })
  return `<path fill="#9cc3e6" d="${outline}"/>${numbers.join('')}`
}

/** Returns a sketch of a layout as an SVG document. */
function drawSketch(layout: Layout, ratio: OutputRatio): string {
  const { width, height } = sketchSize(ratio)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `${sketchTextAttributes}>${drawSlots(layout, ratio)}</svg>`
  )
}
