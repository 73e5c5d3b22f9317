import { catalogue } from './catalogue.ts'
import { fnv1a } from './digest.ts'
import { divideArea } from './divide.ts'
import type { Division } from './divide.ts'
import { parseShape, turned } from './shape.ts'
import type { Shape } from './shape.ts'
import type { Rect } from '../geometry.ts'

/** One way to place a number of clips. */
export interface Layout {
  /** Means the same for ever: clips x 100,000 + shape x 100 + variant (order x 4 + mirror). */
  readonly id: number
  readonly clips: number
  /** Equal where every clip gets a slot of the same size: such layouts crop alike and differ only in places. */
  readonly equivalenceKey: string
  readonly shape: Shape
  readonly mirror: Corner
  /** Slot of each clip; slots are counted as the shape is written. */
  readonly order: readonly number[]
}

/** A corner of the picture: the one a mirror moves the first one to, or where counting begins. */
interface Corner {
  readonly right: boolean
  readonly bottom: boolean
}

/** Their places in this list are part of the ids. */
const corners: readonly Corner[] = [
  { right: false, bottom: false },
  { right: true, bottom: false },
  { right: false, bottom: true },
  { right: true, bottom: true },
]

/** Added to the number of a shape that stands turned. */
const turnedShapes = 500

/** Numbers of clips there are layouts for, rising. */
export const slotCounts: readonly number[] = Object.keys(catalogue).map(Number)

const layoutCache = new Map<number, readonly Layout[]>()

/** All layouts for a number of clips, by rising id; none outside 2 to 16. */
export function layoutsFor(clips: number): readonly Layout[] {
  const known = layoutCache.get(clips)
  if (known) return known
  const layouts = (catalogue[clips] ?? [])
    .flatMap((text, index) => shapeVariants(clips, index + 1, parseShape(text)))
    .toSorted((one, another) => one.id - another.id)
  layoutCache.set(clips, layouts)
  return layouts
}

/** The layout of an id. */
export function findLayout(id: number): Layout | undefined {
  return layoutsFor(Math.floor(id / 100_000)).find((layout) => layout.id === id)
}

/**
 * Rectangles of the slots, in the order of the clips. With a step, each is off its exact place by less than
 * the step, and mirrored layouts are exact mirrors.
 */
export function slotRects(
  { shape, mirror, order }: Pick<Layout, 'shape' | 'mirror' | 'order'>,
  canvas: { width: number; height: number },
  division: Division,
): Rect[] {
  const slots = divideArea(shape, { x: 0, y: 0, ...canvas }, division).map((slot) => ({
    ...slot,
    x: mirror.right ? canvas.width - slot.x - slot.width : slot.x,
    y: mirror.bottom ? canvas.height - slot.y - slot.height : slot.y,
  }))
  return order.flatMap((index) => slots[index] ?? [])
}

/** The slots of a layout as shares of a picture of any size, in the order of the clips, without gaps. */
export function slotShares(layout: Pick<Layout, 'shape' | 'mirror' | 'order'>): Rect[] {
  return slotRects(layout, { width: 1, height: 1 }, { gap: 0, step: 0 })
}

/**
 * All variants of a shape. One that puts every clip where an earlier one does is left out: this looks at the
 * shape alone, so that no later shape can change it.
 */
function shapeVariants(clips: number, number: number, upright: Shape): Layout[] {
  const seen = new Set<string>()
  const layouts: Layout[] = []
  for (const shape of [upright, turned(upright)]) {
    const first = clips * 100_000 + (shape === upright ? number : number + turnedShapes) * 100
    for (const [pass, from] of corners.entries()) {
      for (const [turn, mirror] of corners.entries()) {
        const layout = { shape, mirror, order: slotOrder(shape, from) }
        const picture = slotShares(layout).map(formatRect)
        if (seen.has(picture.join())) continue
        seen.add(picture.join())
        const equivalenceKey = `${clips}-${formatHex(fnv1a(slotShares(layout).map(formatSize).join()))}`
        layouts.push({ id: first + pass * corners.length + turn, clips, equivalenceKey, ...layout })
      }
    }
  }
  return layouts
}

/** The slots of a shape, by their place in its writing, in the order met when walking it from a corner. */
function slotOrder(shape: Shape, corner: Corner): number[] {
  let written = 0
  const walk = (inner: Shape): number[] => {
    if (inner.kind === 'slot') return [written++]
    const parts = inner.parts.map((part) => walk(part.shape))
    const backwards = inner.kind === 'rows' ? corner.bottom : corner.right
    return (backwards ? parts.toReversed() : parts).flat()
  }
  return walk(shape)
}

/** Shares are sums of small fractions: six digits tell any two apart. */
const formatShare = (share: number) => share.toFixed(6)
const formatSize = ({ width, height }: Rect) => `${formatShare(width)}x${formatShare(height)}`
const formatRect = (slot: Rect) => `${formatShare(slot.x)}+${formatShare(slot.y)}+${formatSize(slot)}`
const formatHex = (value: number) => value.toString(16).padStart(8, '0')
