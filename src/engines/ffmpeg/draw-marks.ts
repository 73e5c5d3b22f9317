import { drawLine, lineWidth } from './lettering.ts'
import { fillBox, type Box, type Colour, type Picture } from './raster.ts'
import { keptTint, removedTint, shade } from './tints.ts'

/** A rectangle over a frame, its sides as shares of it, 0 to 1. */
export interface Mark {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  /** What stands beside it. */
  readonly name: string
  /** Nothing inside is changed. */
  readonly isKept: boolean
}

/** Height of the digits of a name, and what is around it, pixels. */
const nameHeight = 10
const padding = 3

/** Thickness of an edge, which lies around what it marks where the frame has room; a dark line beside it, pixels. */
const edge = 2
const halo = 1

/** Length of the dashes around what is kept and of the gaps between, pixels. */
const dash = 6

/**
 * Draws marks over a frame that lies in a picture: edges without breaks around what is removed, dashed ones around
 * what is kept. A name stands where it hides least of other marks; one that has no room is left out.
 */
export function drawMarks(picture: Picture, frame: Box, marks: readonly Mark[]): void {
  const boxes = marks.map((mark) => boxOn(mark, frame))
  for (const [index, mark] of marks.entries()) {
    const box = boxes[index]
    if (box) drawEdges({ picture, frame }, box, mark)
  }
  const names: Box[] = []
  for (const [index, mark] of marks.entries()) {
    const box = boxes[index]
    const place = box && placeFor(mark.name, { box, frame, boxes, names })
    if (!place) continue
    names.push(place)
    fillBox(picture, place, shade)
    const line = { text: mark.name, x: place.x + padding, y: place.y + padding, height: nameHeight }
    drawLine(picture, line, tintOf(mark))
  }
}

function tintOf({ isKept }: Mark): Colour {
  return isKept ? keptTint : removedTint
}

function boxOn({ x, y, w, h }: Mark, frame: Box): Box {
  const left = Math.floor(frame.x + x * frame.width)
  const top = Math.floor(frame.y + y * frame.height)
  const right = Math.ceil(frame.x + (x + w) * frame.width)
  const bottom = Math.ceil(frame.y + (y + h) * frame.height)
  return { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
}

function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by }
}

/** What two boxes share, pixels; nothing where they only touch. */
function sharedArea(one: Box, other: Box): number {
  const { width, height } = shared(one, other)
  return Math.max(0, width) * Math.max(0, height)
}

function shared(one: Box, other: Box): Box {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)]
  const right = Math.min(one.x + one.width, other.x + other.width)
  const bottom = Math.min(one.y + one.height, other.y + other.height)
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) }
}

interface Canvas {
  readonly picture: Picture
  /** Nothing is drawn outside. */
  readonly frame: Box
}

function drawEdges({ picture, frame }: Canvas, box: Box, mark: Mark): void {
  for (const side of sidesOf(shared(grown(box, edge + halo), frame), edge + 2 * halo)) {
    fillBox(picture, shared(side, frame), shade)
  }
  for (const side of sidesOf(shared(grown(box, edge), frame), edge)) {
    const dashes = mark.isKept ? dashesOf(side) : [side]
    for (const part of dashes) fillBox(picture, shared(part, frame), tintOf(mark))
  }
}

/** The four sides of a box, so thick. */
function sidesOf({ x, y, width, height }: Box, thickness: number): Box[] {
  return [
    { x, y, width, height: thickness },
    { x, y: y + height - thickness, width, height: thickness },
    { x, y, width: thickness, height },
    { x: x + width - thickness, y, width: thickness, height },
  ]
}

function dashesOf({ x, y, width, height }: Box): Box[] {
  const count = Math.ceil(Math.max(width, height) / (2 * dash))
  return Array.from({ length: count }, (_, index) => {
    const from = 2 * dash * index
    return width > height
      ? { x: x + from, y, width: Math.min(dash, width - from), height }
      : { x, y: y + from, width, height: Math.min(dash, height - from) }
  })
}

interface Crowd {
  readonly box: Box
  readonly frame: Box
  readonly boxes: readonly Box[]
  /** Those that stand already. */
  readonly names: readonly Box[]
}

/** Where a name stands: beside its box, where it covers least of the others; undefined where there is no room. */
function placeFor(name: string, { box, frame, boxes, names }: Crowd): Box | undefined {
  const width = Math.ceil(lineWidth(name, nameHeight)) + 2 * padding
  const height = nameHeight + 2 * padding + 2
  if (width > frame.width || height > frame.height) return undefined
  const around = grown(box, edge + halo)
  const [right, bottom] = [around.x + around.width, around.y + around.height]
  const corners = [
    [around.x, around.y - height],
    [around.x, bottom],
    [right - width, around.y - height],
    [right - width, bottom],
    [right, around.y],
    [around.x - width, around.y],
    [around.x, around.y],
  ] as const
  const inside = (value: number, from: number, room: number) => Math.max(from, Math.min(from + room, value))
  const places = corners
    .map(([x, y]): Box => {
      const left = inside(x, frame.x, frame.width - width)
      return { x: left, y: inside(y, frame.y, frame.height - height), width, height }
    })
    .filter((place) => names.every((other) => sharedArea(place, other) === 0))
    .map((place) => ({ place, hides: boxes.reduce((sum, other) => sum + sharedArea(place, other), 0) }))
  return places.reduce<(typeof places)[number] | undefined>(
    (best, one) => (best && best.hides <= one.hides ? best : one),
    undefined,
  )?.place
}
