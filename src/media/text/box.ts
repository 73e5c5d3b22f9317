import type { Bounds } from '../geometry.ts'

/** How a line lies that runs neither level nor upright. */
export interface Tilt {
  /** Of the line to the level, clockwise, radians: between -pi / 2 and pi / 2. */
  readonly angle: number
  /** How large its letters are, with the room around them, px. */
  readonly letterSize: number
}

/** The box around a line, and how that lies in it. */
export interface LineBox extends Bounds {
  readonly tilt?: Tilt | undefined
}

/** A box that text was found in. */
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

/** From here on, heights by width, what a box holds runs from above to below: a single narrow letter is not as high. */
const verticalAspect = 2

/** Whether a line in this box runs from above to below. */
export function isVertical(box: Bounds): boolean {
  return boxHeight(box) > verticalAspect * boxWidth(box)
}

/** How large the letters of a line in this box are: its height, or of one that runs downward its width. */
export function letterSize(box: LineBox): number {
  return box.tilt ? box.tilt.letterSize : isVertical(box) ? boxWidth(box) : boxHeight(box)
}

/** Area of a box; 0 of one that is turned inside out. */
export function boxArea(box: Bounds): number {
  return boxWidth(box) * boxHeight(box)
}

/** What two boxes share; turned inside out where they share nothing. */
export function intersectBoxes(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  }
}

/** The least box around both. */
export function uniteBoxes(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }
}

/** Area that two boxes share, as a share of what they cover together. */
export function intersectionOverUnion(one: Bounds, other: Bounds): number {
  const both = boxArea(intersectBoxes(one, other))
  const together = boxArea(one) + boxArea(other) - both
  return together > 0 ? both / together : 0
}

/** A box elsewhere. */
export function translateBox({ left, top, right, bottom }: Bounds, x: number, y: number): Bounds {
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y }
}

/** A box that is larger on each side. */
export function expandBox({ left, top, right, bottom }: Bounds, x: number, y = x): Bounds {
  return { left: left - x, top: top - y, right: right + x, bottom: bottom + y }
}
