import type { Rect } from '../geometry.ts'

/** A recursive division of an area: a single slot, or adjacent rows or columns sized by weight. */
export type Shape =
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
export function transposed(shape: Shape): Shape {
  if (shape.kind === 'slot') return shape
  return {
    kind: shape.kind === 'rows' ? 'columns' : 'rows',
    parts: shape.parts.map((part) => ({ weight: part.weight, shape: transposed(part.shape) })),
  }
}

/** Lengths that control the division of an area, in units of the area. */
export interface DivideAreaOptions {
  /** Distance between adjacent slots. */
  readonly gap: number
  /**
   * Sizes and positions are multiples of this; 0 divides exactly. The sides of the area and the gap must be
   * multiples too.
   */
  readonly step: number
}

/** Returns the slots of a shape in an area, in notation order. Slots and gaps together tile the area. */
export function divideArea(shape: Shape, area: Rect, division: DivideAreaOptions): Rect[] {
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
