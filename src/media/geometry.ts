import type { VideoFacts } from '../contract/media-facts.ts'

/** Width and height, in pixels unless stated otherwise. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** A position, in pixels unless stated otherwise. x grows to the right, y downwards. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A rectangle by its top left corner and its size. */
export interface Rect extends Point, Size {}

/** A rectangle by its edges; pixels at `right` and `bottom` are outside. */
export interface Bounds {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Returns the size of a decoded picture after rotation, without correction of the sample aspect ratio. A side may be odd. */
export function uprightSize({ coded_width, coded_height, rotation }: VideoFacts): Size {
  const swapsSides = rotation % 180 !== 0
  return swapsSides
    ? { width: coded_height, height: coded_width }
    : { width: coded_width, height: coded_height }
}

/** Returns the intersection of two rectangles. Its width or height is 0 if they do not overlap. */
export function intersectRects(one: Rect, other: Rect): Rect {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)]
  const right = Math.min(one.x + one.width, other.x + other.width)
  const bottom = Math.min(one.y + one.height, other.y + other.height)
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) }
}

/** Returns the smallest rectangle that contains two rectangles. */
export function uniteRects(one: Rect, other: Rect): Rect {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  return {
    ...{ x, y },
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  }
}

/** Returns whether a rectangle is entirely inside another one. Edges may touch. */
export function isRectInside(inner: Rect, outer: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  )
}

/** Returns a rectangle extended by a margin on every side. */
export function expandRect({ x, y, width, height }: Rect, margin: number): Rect {
  return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin }
}

/** Returns the rectangle that is a share of the way from one to another. */
export function interpolateRects(from: Rect, to: Rect, share: number): Rect {
  const between = (key: keyof Rect) => from[key] + (to[key] - from[key]) * share
  return { x: between('x'), y: between('y'), width: between('width'), height: between('height') }
}
