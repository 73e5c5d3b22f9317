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

/** Which way along a line leads, px a px of it. */
function lineDirection({ tilt }: LineBox): { readonly x: number; readonly y: number } {
  return { x: Math.cos(tilt?.angle ?? 0), y: Math.sin(tilt?.angle ?? 0) }
}

/** How long and thick the line in a box is: a tilted one reaches from side to side of it. */
function lineSize(box: LineBox): { readonly length: number; readonly thickness: number } {
  const [width, height] = [boxWidth(box), boxHeight(box)]
  if (!box.tilt) return { length: width, thickness: height }
  const thickness = Math.min(box.tilt.letterSize, width, height)
  const { x, y } = lineDirection(box)
  const [across, down] = [Math.abs(x), Math.abs(y)]
  const length = Math.max((width - thickness * down) / across, (height - thickness * across) / down)
  return { length: Math.max(length, thickness), thickness }
}

/** How large a line is, px: a tilted one takes up little of its box. */
export function lineArea(box: LineBox): number {
  const { length, thickness } = lineSize(box)
  return length * thickness
}

interface Place {
  readonly x: number
  readonly y: number
}

/** The corners of a line, one after another around it. */
function lineCorners(box: LineBox): Place[] {
  const { length, thickness } = lineSize(box)
  const way = lineDirection(box)
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  const at = (along: number, aside: number): Place => {
    const [far, off] = [along * length, aside * thickness]
    return { x: x + far * way.x - off * way.y, y: y + far * way.y + off * way.x }
  }
  return [at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)]
}

/** Twice the area of a triangle; above 0 where its corners go around as those of lines do. */
function crossProduct(one: Place, two: Place, three: Place): number {
  return (two.x - one.x) * (three.y - one.y) - (two.y - one.y) * (three.x - one.x)
}

/** What of a shape without dents lies on the inner side of an edge. */
function clipPolygon(shape: readonly Place[], from: Place, to: Place): Place[] {
  return shape.flatMap((corner, index) => {
    const next = shape[(index + 1) % shape.length] ?? corner
    const [here, there] = [crossProduct(from, to, corner), crossProduct(from, to, next)]
    const way = here / (here - there)
    const crossing = { x: corner.x + way * (next.x - corner.x), y: corner.y + way * (next.y - corner.y) }
    return [...(here >= 0 ? [corner] : []), ...(here * there < 0 ? [crossing] : [])]
  })
}

/** Area that two lines share, px, of tilted ones that of the lines themselves: their boxes, however turned, share more. */
export function lineIntersectionArea(one: LineBox, other: LineBox): number {
  if (!one.tilt && !other.tilt) return boxArea(intersectBoxes(one, other))
  const edges = lineCorners(other)
  const both = edges.reduce(
    (shape, from, index) => clipPolygon(shape, from, edges[(index + 1) % edges.length] ?? from),
    lineCorners(one),
  )
  const [first] = both
  if (!first) return 0
  return both.reduce((sum, place, index) => sum + crossProduct(first, place, both[index + 1] ?? first) / 2, 0)
}

/** Tells of places in a box whether they belong to its line. */
export function lineMembership(box: LineBox): (x: number, y: number) => boolean {
  if (!box.tilt) return () => true
  const { thickness } = lineSize(box)
  const way = lineDirection(box)
  const [middle, level] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  return (x, y) => Math.abs((y - level) * way.x - (x - middle) * way.y) <= thickness / 2
}

/** The box around a tilted line and one more letter at each end that is within one of the picture's edge: it is cut there. */
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

/** Length of the part of a tilted line that has a box of its own, times its thickness: fewer boxes cover much more. */
const maxStepAspect = 2

/** Tips of letters reach out of what the detector marks: room beside a line, and at each of its ends, times its thickness. */
const sideMargin = 0.25
const endMargin = 0.15

/** Boxes that hold the line in a box and little else: of a tilted one, some in a row along it. They may lead out of the picture. */
export function boxesAlongLine(box: LineBox): Bounds[] {
  const band = lineSize(box)
  if (!box.tilt || band.thickness === 0) return [box]
  const length = band.length + 2 * endMargin * band.thickness
  const thickness = (1 + 2 * sideMargin) * band.thickness
  const count = Math.ceil(length / (maxStepAspect * band.thickness))
  const way = lineDirection(box)
  const step = length / count
  const across = (step * Math.abs(way.x) + thickness * Math.abs(way.y)) / 2
  const down = (step * Math.abs(way.y) + thickness * Math.abs(way.x)) / 2
  return Array.from({ length: count }, (_, index) => {
    const from = (index - (count - 1) / 2) * step
    const x = (box.left + box.right) / 2 + from * way.x
    const y = (box.top + box.bottom) / 2 + from * way.y
    return { left: x - across, top: y - down, right: x + across, bottom: y + down }
  })
}
