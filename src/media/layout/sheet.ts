import { type OutputRatio, outputRatios } from '../../contract/catalog.ts'
import { offeredLayouts } from './choose.ts'
import { fnv1a, type Layout, layoutsFor, slotCounts, slotShares } from './layout.ts'
import { drawSlots, sketchSize, sketchTextAttributes } from './describe.ts'

const columns = 10

// Lengths of the sheet, pixels.
const cellWidth = 116
const margin = 16
const headingHeight = 34
const labelHeight = 22
const rowGap = 12

/**
 * Returns an overview of the layouts for a number of clips as an SVG document. For each output ratio, it shows every
 * offered shape with its slots numbered by clip from 1, its first layout id and its number of variants.
 */
export function drawLayoutSheet(clips: number): string {
  const parts: string[] = []
  let top = margin
  for (const ratio of outputRatios) {
    const shapes = [...Map.groupBy(offeredLayouts(clips, ratio), ({ id }) => Math.floor(id / 100)).values()]
    parts.push(
      `<text x="${margin}" y="${top + 18}" font-size="16" text-anchor="start">${clips} clips, ${ratio}</text>`,
    )
    top += headingHeight
    const { height } = sketchSize(ratio)
    for (const [index, variants] of shapes.entries()) {
      const left = margin + (index % columns) * cellWidth
      const rowTop = top + Math.floor(index / columns) * (height + labelHeight + rowGap)
      const [first] = variants
      if (first) parts.push(sketchGroup(first, { ratio, left, top: rowTop, variants: variants.length }))
    }
    top += Math.ceil(shapes.length / columns) * (height + labelHeight + rowGap) + margin
  }
  const width = 2 * margin + columns * cellWidth
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}">`,
    `<rect width="${width}" height="${top}" fill="#fff"/>`,
    `<g ${sketchTextAttributes}>`,
    ...parts,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

interface SketchGroupOptions {
  readonly ratio: OutputRatio
  readonly left: number
  readonly top: number
  /** Number of layouts with the shape. */
  readonly variants: number
}

/** Returns an SVG group with the sketch of a layout, its id and the number of variants. */
function sketchGroup(layout: Layout, { ratio, left, top, variants }: SketchGroupOptions): string {
  const { width, height } = sketchSize(ratio)
  const count = variants > 1 ? ` ×${variants}` : ''
  return (
    `<g transform="translate(${left} ${top})">${drawSlots(layout, ratio)}` +
    `<text font-size="10" fill="#666" x="${width / 2}" y="${height + 14}">${layout.id}${count}</text></g>`
  )
}

/**
 * Returns a digest of the layouts per shape. A digest changes if a layout of the shape changes its slots, order or
 * id, which would break stored layout ids. docs/layouts/ids.json contains the expected digests.
 */
export function layoutDigests(): Record<string, number> {
  const shapes = Map.groupBy(slotCounts.flatMap(layoutsFor), ({ id }) => Math.floor(id / 100))
  return Object.fromEntries(
    [...shapes].map(([shape, layouts]) => {
      const lines = layouts.map((layout) => {
        const slots = slotShares(layout).map(({ x, y, width, height }) =>
          [x, y, width, height].map((share) => share.toFixed(6)).join(' '),
        )
        return `${layout.id} ${layout.equivalenceKey} ${slots.join(', ')}`
      })
      return [shape, fnv1a(lines.join('\n'))]
    }),
  )
}
