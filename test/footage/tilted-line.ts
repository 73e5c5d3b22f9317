import type { LineBox } from '../../src/media/text/box.ts'

/** A tilted line of letters, given by its centre. */
export interface TiltedLine {
  readonly x: number
  readonly y: number
  readonly length: number
  readonly letters: number
  /** Angle to the horizontal, radians. */
  readonly angle: number
}

/** Bounding box of a tilted line. */
export function boxAround({ x, y, length, letters, angle }: TiltedLine): LineBox {
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  const halfWidth = (length * cos + letters * sin) / 2
  const down = (length * sin + letters * cos) / 2
  const box = { left: x - halfWidth, top: y - down, right: x + halfWidth, bottom: y + down }
  return { ...box, tilt: { angle, letterSize: letters } }
}

/** A point in a line. `along` and `aside` are shares of its length and height from its centre, -0.5 to 0.5. */
export function pointInLine({ x, y, length, letters, angle }: TiltedLine, along: number, aside: number) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return {
    x: x + along * length * cos - aside * letters * sin,
    y: y + along * length * sin + aside * letters * cos,
  }
}
