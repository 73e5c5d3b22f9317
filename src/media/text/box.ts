/** A rectangle of a picture in pixels, from its first edges to its last; edges may lie between pixels. */
export interface Bounds {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** How a line lies that runs neither level nor upright. */
export interface Tilt {
  /** Of the line to the level, clockwise, radians: between -pi / 2 and pi / 2. */
  readonly angle: number
  /** How large its letters are, with the room around them, px. */
  readonly letters: number
}

/** The box around a line, and how that lies in it. */
export interface Placed extends Bounds {
  readonly tilt?: Tilt | undefined
}

/** A box that text was found in. */
export interface TextBox extends Placed {
  /** Mean probability that its pixels are text, 0 to 1. */
  readonly score: number
}

/** Width of a box. */
export function widthOf({ left, right }: Bounds): number {
  return Math.max(0, right - left)
}

/** Height of a box. */
export function heightOf({ top, bottom }: Bounds): number {
  return Math.max(0, bottom - top)
}

/** From here on, heights by width, what a box holds runs from above to below: a single narrow letter is not as high. */
const uprightFrom = 2

/** Whether a line in this box runs from above to below. */
export function isUpright(box: Bounds): boolean {
  return heightOf(box) > uprightFrom * widthOf(box)
}

/** How large the letters of a line in this box are: its height, or of one that runs downward its width. */
export function letterSize(box: Placed): number {
  return box.tilt ? box.tilt.letters : isUpright(box) ? widthOf(box) : heightOf(box)
}

/** Area of a box; 0 of one that is turned inside out. */
export function areaOf(box: Bounds): number {
  return widthOf(box) * heightOf(box)
}

/** What two boxes share; turned inside out where they share nothing. */
export function shared(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  }
}

/** The least box around both. */
export function around(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }
}

/** Area that two boxes share, as a share of what they cover together. */
export function overlap(one: Bounds, other: Bounds): number {
  const both = areaOf(shared(one, other))
  const together = areaOf(one) + areaOf(other) - both
  return together > 0 ? both / together : 0
}

/** A box elsewhere. */
export function moved({ left, top, right, bottom }: Bounds, x: number, y: number): Bounds {
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y }
}

/** A box that is larger on each side. */
export function grown({ left, top, right, bottom }: Bounds, x: number, y = x): Bounds {
  return { left: left - x, top: top - y, right: right + x, bottom: bottom + y }
}
