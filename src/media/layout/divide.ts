import type { Shape } from './shape.ts'
import type { Rect } from '../geometry.ts'

/** How to divide an area. */
export interface Division {
  /** Distance between adjacent slots. */
  readonly gap: number
  /**
   * Sizes and positions are multiples of this; 0 divides exactly. The area and the gap must be multiples too.
   */
  readonly step: number
}

/** Divides an area into the slots of a shape, in notation order. Slots and gaps together tile the area. */
export function divideArea(shape: Shape, area: Rect, division: Division): Rect[] {
  if (shape.kind === 'slot') return [area]
  const down = shape.kind === 'rows'
  const spans = cutLength(
    down ? area.height : area.width,
    shape.parts.map((part) => part.weight),
    division,
  )
  return shape.parts.flatMap((part, index) => {
    const { start, length } = spans[index] ?? { start: 0, length: 0 }
    const inner = down
      ? { ...area, y: area.y + start, height: length }
      : { ...area, x: area.x + start, width: length }
    return divideArea(part.shape, inner, division)
  })
}

/**
 * Divides a length by weights. Cuts are rounded from the running total, so that no part is off by more than a
 * step.
 */
function cutLength(length: number, weights: readonly number[], { gap, step }: Division) {
  const free = length - gap * (weights.length - 1)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const at = (weight: number) => {
    const exact = (free * weight) / total
    return step === 0 ? exact : step * Math.round(exact / step)
  }
  let before = 0
  return weights.map((weight, index) => {
    const start = at(before)
    before += weight
    return { start: start + gap * index, length: at(before) - start }
  })
}
