import { areaOf, around, heightOf, moved, shared, widthOf, type Bounds, type Placed } from './box.ts'

/** Which way along a line leads, px a px of it. */
function wayOf({ tilt }: Placed): { readonly x: number; readonly y: number } {
  return { x: Math.cos(tilt?.angle ?? 0), y: Math.sin(tilt?.angle ?? 0) }
}

/** How long and thick the line in a box is: a tilted one reaches from side to side of it. */
function bandOf(box: Placed): { readonly length: number; readonly thickness: number } {
  const [width, height] = [widthOf(box), heightOf(box)]
  if (!box.tilt) return { length: width, thickness: height }
  const thickness = Math.min(box.tilt.letters, width, height)
  const { x, y } = wayOf(box)
  const [across, down] = [Math.abs(x), Math.abs(y)]
  const length = Math.max((width - thickness * down) / across, (height - thickness * across) / down)
  return { length: Math.max(length, thickness), thickness }
}

/** How large a line is, px: a tilted one takes up little of its box. */
export function lineArea(box: Placed): number {
  const { length, thickness } = bandOf(box)
  return length * thickness
}

interface Place {
  readonly x: number
  readonly y: number
}

/** The corners of a line, one after another around it. */
function cornersOf(box: Placed): Place[] {
  const { length, thickness } = bandOf(box)
  const way = wayOf(box)
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  const at = (along: number, aside: number): Place => {
    const [far, off] = [along * length, aside * thickness]
    return { x: x + far * way.x - off * way.y, y: y + far * way.y + off * way.x }
  }
  return [at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)]
}

/** Twice the area of a triangle; above 0 where its corners go around as those of lines do. */
function turn(one: Place, two: Place, three: Place): number {
  return (two.x - one.x) * (three.y - one.y) - (two.y - one.y) * (three.x - one.x)
}

/** What of a shape without dents lies on the inner side of an edge. */
function cutAlong(shape: readonly Place[], from: Place, to: Place): Place[] {
  return shape.flatMap((corner, index) => {
    const next = shape[(index + 1) % shape.length] ?? corner
    const [here, there] = [turn(from, to, corner), turn(from, to, next)]
    const way = here / (here - there)
    const crossing = { x: corner.x + way * (next.x - corner.x), y: corner.y + way * (next.y - corner.y) }
    return [...(here >= 0 ? [corner] : []), ...(here * there < 0 ? [crossing] : [])]
  })
}

/** Area that two lines share, px, of tilted ones that of the lines themselves: their boxes, however turned, share more. */
export function sharedArea(one: Placed, other: Placed): number {
  if (!one.tilt && !other.tilt) return areaOf(shared(one, other))
  const edges = cornersOf(other)
  const both = edges.reduce(
    (shape, from, index) => cutAlong(shape, from, edges[(index + 1) % edges.length] ?? from),
    cornersOf(one),
  )
  const [first] = both
  if (!first) return 0
  return both.reduce((sum, place, index) => sum + turn(first, place, both[index + 1] ?? first) / 2, 0)
}

/** Tells of places in a box whether they belong to its line. */
export function inLine(box: Placed): (x: number, y: number) => boolean {
  if (!box.tilt) return () => true
  const { thickness } = bandOf(box)
  const way = wayOf(box)
  const [middle, level] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  return (x, y) => Math.abs((y - level) * way.x - (x - middle) * way.y) <= thickness / 2
}

/** The box around a tilted line and one more letter at each end that is within one of the picture's edge: it is cut there. */
export function toEdges(box: Placed, picture: { readonly width: number; readonly height: number }): Placed {
  const size = box.tilt?.letters ?? 0
  const { x, y } = wayOf(box)
  const [above, below] = [box.top < size, picture.height - box.bottom < size]
  const [rising, falling] = [y < 0, y > 0]
  const before = box.left < size || (falling && above) || (rising && below)
  const after = picture.width - box.right < size || (falling && below) || (rising && above)
  const ways = [...(before ? [-size] : []), ...(after ? [size] : [])]
  const whole = ways.reduce<Bounds>((all, by) => around(all, moved(box, by * x, by * y)), box)
  return { ...whole, tilt: box.tilt }
}

/** Length of the part of a tilted line that has a box of its own, times its thickness: fewer boxes cover much more. */
const stepLength = 2

/** Tips of letters reach out of what the detector marks: room beside a line, and at each of its ends, times its thickness. */
const besideLine = 0.25
const atEnds = 0.15

/** Boxes that hold the line in a box and little else: of a tilted one, some in a row along it. They may lead out of the picture. */
export function stepsAlong(box: Placed): Bounds[] {
  const band = bandOf(box)
  if (!box.tilt || band.thickness === 0) return [box]
  const length = band.length + 2 * atEnds * band.thickness
  const thickness = (1 + 2 * besideLine) * band.thickness
  const count = Math.ceil(length / (stepLength * band.thickness))
  const way = wayOf(box)
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
