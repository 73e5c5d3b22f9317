import type { Rect } from '../geometry.ts'
import { catalogue } from './catalogue.ts'

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

/** A recursive division of an area: a single slot, or adjacent rows or columns sized by weight. */
type Shape =
  | { readonly kind: 'slot' }
  | { readonly kind: 'rows' | 'columns'; readonly parts: readonly WeightedShape[] }

interface WeightedShape {
  readonly weight: number
  readonly shape: Shape
}

const singleSlot: Shape = { kind: 'slot' }

/**
 * Parses the notation of the catalogue. `/` stacks rows, `|` puts columns side by side and binds tighter, a
 * number n is n equal slots side by side, `w*` before a part sets its weight, and parentheses group. `2*1/3`
 * is one slot above a row of three slots of half its height. Throws TypeError for any other text.
 */
export function parseShape(text: string): Shape {
  const tokens = text.match(/\d+\*?|[/|()]|\S/g) ?? []
  let next = 0

  const split = (kind: 'rows' | 'columns', separator: string, part: () => WeightedShape): WeightedShape => {
    const parts = [part()]
    while (tokens[next] === separator) {
      next += 1
      parts.push(part())
    }
    const [only] = parts
    return only && parts.length === 1 ? only : { weight: 1, shape: { kind, parts } }
  }
  const rows = (): WeightedShape => split('rows', '/', columns)
  const columns = (): WeightedShape => split('columns', '|', weighted)
  const weighted = (): WeightedShape => {
    const token = tokens[next] ?? ''
    if (!/^[1-9]\d*\*$/.test(token)) return { weight: 1, shape: term() }
    next += 1
    return { weight: Number.parseInt(token, 10), shape: term() }
  }
  const term = (): Shape => {
    const token = tokens[next] ?? 'the end'
    next += 1
    if (/^[1-9]\d*$/.test(token)) return equalColumns(Number(token))
    if (token !== '(') throw new TypeError(`shape ${text}: expected a slot or (, found ${token}`)
    const inner = rows()
    if (tokens[next] !== ')') throw new TypeError(`shape ${text}: ) is missing`)
    next += 1
    return inner.shape
  }

  const { shape } = rows()
  if (next < tokens.length) throw new TypeError(`shape ${text}: unexpected ${tokens[next]}`)
  return shape
}

/** Returns equal slots side by side. */
function equalColumns(count: number): Shape {
  if (count === 1) return singleSlot
  return { kind: 'columns', parts: Array.from({ length: count }, () => ({ weight: 1, shape: singleSlot })) }
}

/** Returns a shape with rows and columns swapped, which adapts a portrait layout to landscape. */
function transposed(shape: Shape): Shape {
  if (shape.kind === 'slot') return shape
  return {
    kind: shape.kind === 'rows' ? 'columns' : 'rows',
    parts: shape.parts.map((part) => ({ weight: part.weight, shape: transposed(part.shape) })),
  }
}

/** Lengths that control the division of an area, in units of the area. */
interface DivideAreaOptions {
  /** Distance between adjacent slots. */
  readonly gap: number
  /**
   * Sizes and positions are multiples of this; 0 divides exactly. The sides of the area and the gap must be
   * multiples too.
   */
  readonly step: number
}

/** Returns the slots of a shape in an area, in notation order. Slots and gaps together tile the area. */
function divideArea(shape: Shape, area: Rect, division: DivideAreaOptions): Rect[] {
  if (shape.kind === 'slot') return [area]
  const isVertical = shape.kind === 'rows'
  const spans = divideLength(
    isVertical ? area.height : area.width,
    shape.parts.map((part) => part.weight),
    division,
  )
  return shape.parts.flatMap((part, index) => {
    const { start, length } = spans[index] ?? { start: 0, length: 0 }
    const inner = isVertical
      ? { ...area, y: area.y + start, height: length }
      : { ...area, x: area.x + start, width: length }
    return divideArea(part.shape, inner, division)
  })
}

/**
 * Divides a length by weights and returns the start and length of each part. Cuts are rounded from the running
 * total, so that no part deviates from its exact length by more than a step.
 */
function divideLength(length: number, weights: readonly number[], { gap, step }: DivideAreaOptions) {
  const free = length - gap * (weights.length - 1)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const cutAt = (weight: number) => {
    const exact = (free * weight) / total
    return step === 0 ? exact : step * Math.round(exact / step)
  }
  let before = 0
  return weights.map((weight, index) => {
    const start = cutAt(before)
    before += weight
    return { start: start + gap * index, length: cutAt(before) - start }
  })
}
