import { heightOf, widthOf, type Box, type Placed } from './box.ts'

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

/** The box around a line in a picture that is turned so that what is tilted by an angle runs level there. */
function turned(box: Placed, angle: number): Box {
  const { length, thickness } = bandOf(box)
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [middle, level] = [x * cos + y * sin, y * cos - x * sin]
  const off = (box.tilt?.angle ?? 0) - angle
  const [along, aside] = [Math.abs(Math.cos(off)), Math.abs(Math.sin(off))]
  const across = (length * along + thickness * aside) / 2
  const down = (length * aside + thickness * along) / 2
  return { left: middle - across, top: level - down, right: middle + across, bottom: level + down }
}

/** The boxes around two lines in a picture that is turned so that the second runs level: of level ones they themselves. */
export function besideLevel(one: Placed, other: Placed): readonly [Box, Box] {
  if (!one.tilt && !other.tilt) return [one, other]
  const angle = other.tilt?.angle ?? one.tilt?.angle ?? 0
  return [turned(one, angle), turned(other, angle)]
}

/** Tells of places in a box whether they belong to its line. */
export function inLine(box: Placed): (x: number, y: number) => boolean {
  if (!box.tilt) return () => true
  const { thickness } = bandOf(box)
  const way = wayOf(box)
  const [middle, level] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  return (x, y) => Math.abs((y - level) * way.x - (x - middle) * way.y) <= thickness / 2
}

/** Length of the part of a tilted line that has a box of its own, times its thickness: fewer boxes cover much more. */
const stepLength = 2

/** Tips of letters reach out of what the detector marks: room beside a line, and at each of its ends, times its thickness. */
const besideLine = 0.25
const atEnds = 0.15

/** Boxes that hold the line in a box and little else: of a tilted one, some in a row along it. They may lead out of the picture. */
export function stepsAlong(box: Placed): Box[] {
  if (!box.tilt) return [box]
  const band = bandOf(box)
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
