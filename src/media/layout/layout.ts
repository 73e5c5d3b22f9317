import type { Rect } from '../geometry.ts'
import { catalogue } from './catalogue.ts'
import { divideArea, type DivideAreaOptions, parseShape, type Shape, transposed } from './shape.ts'

/** One arrangement of a number of clips. */
export interface Layout {
  /** Permanent: clips x 100,000 + shape x 100 + variant (order x 4 + mirror). */
  readonly id: number
  readonly clips: number
  /**
   * Equal for layouts that give every clip a slot of the same size. They crop alike and differ only in
   * positions.
   */
  readonly equivalenceKey: string
  readonly shape: Shape
  readonly mirror: PictureCorner
  /** Slot index of each clip. Slots are counted in notation order. */
  readonly order: readonly number[]
}

/**
 * A corner of the picture. For mirroring: the corner to which the top left one moves. For counting: the corner
 * where it starts.
 */
interface PictureCorner {
  readonly right: boolean
  readonly bottom: boolean
}

/** All corners. Positions in this list are part of the layout ids. */
const corners: readonly PictureCorner[] = [
  { right: false, bottom: false },
  { right: true, bottom: false },
  { right: false, bottom: true },
  { right: true, bottom: true },
]

/** Offset added to the number of a transposed shape. */
const transposedOffset = 500

/** Numbers of clips that have layouts, ascending. */
export const slotCounts: readonly number[] = Object.keys(catalogue).map(Number)

const layoutCache = new Map<number, readonly Layout[]>()

/** Returns all layouts for a number of clips, sorted by id. Empty outside 2 to 16. */
export function layoutsFor(clips: number): readonly Layout[] {
  const cached = layoutCache.get(clips)
  if (cached) return cached
  const layouts = (catalogue[clips] ?? [])
    .flatMap((text, index) => shapeVariants(clips, index + 1, parseShape(text)))
    .toSorted((one, another) => one.id - another.id)
  layoutCache.set(clips, layouts)
  return layouts
}

/** Returns the layout with an id, or undefined if there is none. */
export function findLayout(id: number): Layout | undefined {
  return layoutsFor(Math.floor(id / 100_000)).find((layout) => layout.id === id)
}

/**
 * Returns the rectangles of the slots in clip order, in units of the canvas. With a step, each is less than the step
 * away from its exact position. Mirrored layouts are exact mirrors.
 */
export function slotRects(
  { shape, mirror, order }: Pick<Layout, 'shape' | 'mirror' | 'order'>,
  canvas: { width: number; height: number },
  division: DivideAreaOptions,
): Rect[] {
  const slots = divideArea(shape, { x: 0, y: 0, ...canvas }, division).map((slot) => ({
    ...slot,
    x: mirror.right ? canvas.width - slot.x - slot.width : slot.x,
    y: mirror.bottom ? canvas.height - slot.y - slot.height : slot.y,
  }))
  return order.flatMap((index) => slots[index] ?? [])
}

/** Returns the slots in clip order as fractions of the picture, 0 to 1, without gaps. */
export function slotShares(layout: Pick<Layout, 'shape' | 'mirror' | 'order'>): Rect[] {
  return slotRects(layout, { width: 1, height: 1 }, { gap: 0, step: 0 })
}

/**
 * Returns all distinct variants of a shape: transposed, mirrored and counted from each corner. Duplicates are
 * detected within this shape only, so that shapes added later never change the result.
 */
function shapeVariants(clips: number, shapeNumber: number, upright: Shape): Layout[] {
  const seen = new Set<string>()
  const layouts: Layout[] = []
  for (const shape of [upright, transposed(upright)]) {
    const firstId = clips * 100_000 + (shape === upright ? shapeNumber : shapeNumber + transposedOffset) * 100
    for (const [orderIndex, start] of corners.entries()) {
      for (const [mirrorIndex, mirror] of corners.entries()) {
        const layout = { shape, mirror, order: slotOrder(shape, start) }
        const rects = slotShares(layout).map(formatRect).join()
        if (seen.has(rects)) continue
        seen.add(rects)
        const equivalenceKey = `${clips}-${formatHex(fnv1a(slotShares(layout).map(formatSize).join()))}`
        layouts.push({
          id: firstId + orderIndex * corners.length + mirrorIndex,
          clips,
          equivalenceKey,
          ...layout,
        })
      }
    }
  }
  return layouts
}

/** Returns the slot indexes of a shape, in reading order from a corner. */
function slotOrder(shape: Shape, corner: PictureCorner): number[] {
  let slotCount = 0
  const walk = (inner: Shape): number[] => {
    if (inner.kind === 'slot') return [slotCount++]
    const parts = inner.parts.map((part) => walk(part.shape))
    const isReversed = inner.kind === 'rows' ? corner.bottom : corner.right
    return (isReversed ? parts.toReversed() : parts).flat()
  }
  return walk(shape)
}

// Shares are sums of fractions of small numbers. Six decimals distinguish any two.
const formatShare = (share: number) => share.toFixed(6)
const formatSize = ({ width, height }: Rect) => `${formatShare(width)}x${formatShare(height)}`
const formatRect = (slot: Rect) => `${formatShare(slot.x)}+${formatShare(slot.y)}+${formatSize(slot)}`
const formatHex = (value: number) => value.toString(16).padStart(8, '0')

/** Returns the 32-bit FNV-1a hash of the code points of a text, an unsigned integer. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}
