import type { Bounds } from '../geometry.ts'

/** Orientation of a line that is neither horizontal nor vertical. */
export interface Tilt {
  /** Angle to the horizontal, clockwise, in radians: -pi / 2 to pi / 2. */
  readonly angle: number
  /** Letter height with padding, px. */
  readonly letterSize: number
}

/** Bounding box of a line of text, with the line's tilt. */
export interface LineBox extends Bounds {
  readonly tilt?: Tilt | undefined
}

/** A detected line of text. */
export interface TextBox extends LineBox {
  /** Mean probability that its pixels are text, 0 to 1. */
  readonly score: number
}

/** Width of a box. */
export function boxWidth({ left, right }: Bounds): number {
  return Math.max(0, right - left)
}

/** Height of a box. */
export function boxHeight({ top, bottom }: Bounds): number {
  return Math.max(0, bottom - top)
}

/** Ratio of height to width above which a line is vertical; a single narrow letter is less tall. */
const verticalAspect = 2

/** Whether the line in this box is vertical. */
export function isVertical(box: Bounds): boolean {
  return boxHeight(box) > verticalAspect * boxWidth(box)
}

/** Letter size in px: the height of a horizontal line, the width of a vertical one. */
export function letterSize(box: LineBox): number {
  return box.tilt ? box.tilt.letterSize : isVertical(box) ? boxWidth(box) : boxHeight(box)
}

/** Area of a box; 0 if its edges are inverted. */
export function boxArea(box: Bounds): number {
  return boxWidth(box) * boxHeight(box)
}

/** Intersection of two boxes; its edges are inverted if they do not overlap. */
export function intersectBoxes(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  }
}

/** Smallest box that contains both. */
export function uniteBoxes(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }
}

/** Intersection area divided by union area, 0 to 1. */
export function intersectionOverUnion(one: Bounds, other: Bounds): number {
  const both = boxArea(intersectBoxes(one, other))
  const together = boxArea(one) + boxArea(other) - both
  return together > 0 ? both / together : 0
}

/** Returns a box moved by x and y. */
export function translateBox({ left, top, right, bottom }: Bounds, x: number, y: number): Bounds {
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y }
}

/** Returns a box expanded by x and y on each side. */
export function expandBox({ left, top, right, bottom }: Bounds, x: number, y = x): Bounds {
  return { left: left - x, top: top - y, right: right + x, bottom: bottom + y }
}

/** Rounds a box outwards to whole pixels, so that all crops of a text have the same size, whatever its offset. */
export function roundOutwards({ left, top, right, bottom }: Bounds): Bounds {
  return { left: Math.floor(left), top: Math.floor(top), right: Math.ceil(right), bottom: Math.ceil(bottom) }
}
