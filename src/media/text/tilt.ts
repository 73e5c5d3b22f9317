import {
  boxArea,
  uniteBoxes,
  boxHeight,
  translateBox,
  intersectBoxes,
  boxWidth,
  type LineBox,
} from './box.ts'
import type { Bounds } from '../geometry.ts'

/** Unit vector along a line. */
function lineDirection({ tilt }: LineBox): { readonly x: number; readonly y: number } {
  return { x: Math.cos(tilt?.angle ?? 0), y: Math.sin(tilt?.angle ?? 0) }
}

/** Length and thickness of the line in a box, px; a tilted line extends from side to side of its box. */
function lineSize(box: LineBox): { readonly length: number; readonly thickness: number } {
  const [width, height] = [boxWidth(box), boxHeight(box)]
  if (!box.tilt) return { length: width, thickness: height }
  const thickness = Math.min(box.tilt.letterSize, width, height)
  const { x, y } = lineDirection(box)
  const [across, down] = [Math.abs(x), Math.abs(y)]
  const length = Math.max((width - thickness * down) / across, (height - thickness * across) / down)
  return { length: Math.max(length, thickness), thickness }
}

/** Area of a line, px²; for a tilted line much less than that of its box. */
export function lineArea(box: LineBox): number {
  const { length, thickness } = lineSize(box)
  return length * thickness
}

interface Corner {
  readonly x: number
  readonly y: number
}

/** Corners of a line, clockwise. */
function lineCorners(box: LineBox): Corner[] {
  const { length, thickness } = lineSize(box)
  const direction = lineDirection(box)
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  const at = (alongShare: number, acrossShare: number): Corner => {
    const [along, across] = [alongShare * length, acrossShare * thickness]
    return {
      x: x + along * direction.x - across * direction.y,
      y: y + along * direction.y + across * direction.x,
    }
  }
  return [at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)]
}

/** Twice the signed area of a triangle; positive if its corners are in clockwise order. */
function crossProduct(one: Corner, two: Corner, three: Corner): number {
  return (two.x - one.x) * (three.y - one.y) - (two.y - one.y) * (three.x - one.x)
}

/** Clips a convex polygon to the inner side of an edge (Sutherland and Hodgman 1974). */
function clipPolygon(shape: readonly Corner[], from: Corner, to: Corner): Corner[] {
  return shape.flatMap((corner, index) => {
    const next = shape[(index + 1) % shape.length] ?? corner
    const [here, there] = [crossProduct(from, to, corner), crossProduct(from, to, next)]
    const share = here / (here - there)
    const crossing = {
      x: corner.x + share * (next.x - corner.x),
      y: corner.y + share * (next.y - corner.y),
    }
    return [...(here >= 0 ? [corner] : []), ...(here * there < 0 ? [crossing] : [])]
  })
}

/** Intersection area of two lines, px². For tilted lines, of the rotated rectangles, not of their boxes. */
export function lineIntersectionArea(one: LineBox, other: LineBox): number {
  if (!one.tilt && !other.tilt) return boxArea(intersectBoxes(one, other))
  const edges = lineCorners(other)
  const both = edges.reduce(
    (shape, from, index) => clipPolygon(shape, from, edges[(index + 1) % edges.length] ?? from),
    lineCorners(one),
  )
  const [first] = both
  if (!first) return 0
  return both.reduce(
    (sum, corner, index) => sum + crossProduct(first, corner, both[index + 1] ?? first) / 2,
    0,
  )
}

/** Returns a predicate: whether a position in the box, px, belongs to its line. */
export function lineMembership(box: LineBox): (x: number, y: number) => boolean {
  if (!box.tilt) return () => true
  const { thickness } = lineSize(box)
  const direction = lineDirection(box)
  const [middle, level] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  return (x, y) => Math.abs((y - level) * direction.x - (x - middle) * direction.y) <= thickness / 2
}

/** Extends a tilted line by one letter at each end that is within one letter of the picture's edge, where a letter may be cut. */
export function extendTiltedToEdges(
  box: LineBox,
  picture: { readonly width: number; readonly height: number },
): LineBox {
  const size = box.tilt?.letterSize ?? 0
  const { x, y } = lineDirection(box)
  const [above, below] = [box.top < size, picture.height - box.bottom < size]
  const [rising, falling] = [y < 0, y > 0]
  const before = box.left < size || (falling && above) || (rising && below)
  const after = picture.width - box.right < size || (falling && below) || (rising && above)
  const ways = [...(before ? [-size] : []), ...(after ? [size] : [])]
  const whole = ways.reduce<Bounds>((all, by) => uniteBoxes(all, translateBox(box, by * x, by * y)), box)
  return { ...whole, tilt: box.tilt }
}

/** Longest part of a tilted line per box, in line thicknesses; longer parts would cover much more background. */
const maxStepAspect = 2

/** Margins beside a line and at its ends, in line thicknesses, because letters extend beyond the detected area. */
const sideMargin = 0.25
const endMargin = 0.15

/** Returns boxes that cover a line closely: several along a tilted line, else its box. They may extend beyond the picture. */
export function boxesAlongLine(box: LineBox): Bounds[] {
  const band = lineSize(box)
  if (!box.tilt || band.thickness === 0) return [box]
  const length = band.length + 2 * endMargin * band.thickness
  const thickness = (1 + 2 * sideMargin) * band.thickness
  const count = Math.ceil(length / (maxStepAspect * band.thickness))
  const direction = lineDirection(box)
  const step = length / count
  const across = (step * Math.abs(direction.x) + thickness * Math.abs(direction.y)) / 2
  const down = (step * Math.abs(direction.y) + thickness * Math.abs(direction.x)) / 2
  return Array.from({ length: count }, (_, index) => {
    const from = (index - (count - 1) / 2) * step
    const x = (box.left + box.right) / 2 + from * direction.x
    const y = (box.top + box.bottom) / 2 + from * direction.y
    return { left: x - across, top: y - down, right: x + across, bottom: y + down }
  })
}
