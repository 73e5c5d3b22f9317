import { type OutputRatio, outputRatios } from '../../contract/catalog.ts'
import { offeredLayouts } from './choose.ts'
import { fnv1a, type Layout, layoutsFor, slotCounts, slotShares } from './layout.ts'
import { drawSlots, sketchTextAttributes, sketchSize } from './describe.ts'

const columns = 10
const cell = 116
const margin = 16
const heading = 34
const label = 22

/**
 * Draws the overview of layouts for a number of clips as SVG. For each output ratio, it shows every offered
 * shape with its slots numbered by clip from 1, its first layout id and its number of variants.
 */
export function drawLayoutSheet(clips: number): string {
  const parts: string[] = []
  let top = margin
  for (const ratio of outputRatios) {
    const families = [...Map.groupBy(offeredLayouts(clips, ratio), ({ id }) => Math.floor(id / 100)).values()]
    parts.push(
      `<text x="${margin}" y="${top + 18}" font-size="16" text-anchor="start">${clips} clips, ${ratio}</text>`,
    )
    top += heading
    const { height } = sketchSize(ratio)
    for (const [index, family] of families.entries()) {
      const left = margin + (index % columns) * cell
      const down = top + Math.floor(index / columns) * (height + label + 12)
      const [first] = family
      if (first) parts.push(sketchGroup(first, { ratio, left, top: down, layouts: family.length }))
    }
    top += Math.ceil(families.length / columns) * (height + label + 12) + margin
  }
  const width = 2 * margin + columns * cell
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
  readonly layouts: number
}

function sketchGroup(layout: Layout, { ratio, left, top, layouts }: SketchGroupOptions): string {
  const { width, height } = sketchSize(ratio)
  const more = layouts > 1 ? ` ×${layouts}` : ''
  return (
    `<g transform="translate(${left} ${top})">${drawSlots(layout, ratio)}` +
    `<text font-size="10" fill="#666" x="${width / 2}" y="${height + 14}">${layout.id}${more}</text></g>`
  )
}

/**
 * Returns a digest of the ids per shape. It changes when any layout of the shape changes its position, order
 * or id. docs/layouts/ids.json records the digests permanently.
 */
export function layoutDigests(): Record<string, number> {
  const families = Map.groupBy(slotCounts.flatMap(layoutsFor), ({ id }) => Math.floor(id / 100))
  return Object.fromEntries(
    [...families].map(([shape, layouts]) => {
      const words = layouts.map((layout) => {
        const slots = slotShares(layout).map(({ x, y, width, height }) =>
          [x, y, width, height].map((share) => share.toFixed(6)).join(' '),
        )
        return `${layout.id} ${layout.equivalenceKey} ${slots.join(', ')}`
      })
      return [shape, fnv1a(words.join('\n'))]
    }),
  )
}
