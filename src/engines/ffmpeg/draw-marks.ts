import { drawLine } from './lettering.ts'
import { nameHeight, padding, placeName } from './mark-names.ts'
import { fillRect, type Colour, type Picture } from './raster.ts'
import { keptTint, removedTint, shade } from './tints.ts'
import { type Rect, intersectRects, expandRect } from '../../media/geometry.ts'

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

/** Thickness of an edge, which lies around what it marks where the frame has room; a dark line beside it, pixels. */
const edge = 2
const halo = 1

/** Length of the dashes around what is kept and of the gaps between, pixels. */
const dash = 6

/**
 * Draws marks over a frame that lies in a picture: edges without breaks around what is removed, dashed ones around
 * what is kept. A name stands where it hides least of other marks; one that has no room is left out.
 */
export function drawMarks(picture: Picture, frame: Rect, marks: readonly Mark[]): void {
  const boxes = marks.map((mark) => boxOn(mark, frame))
  for (const [index, mark] of marks.entries()) {
    const box = boxes[index]
    if (box) drawEdges({ picture, frame }, box, mark)
  }
  const names: Rect[] = []
  for (const [index, mark] of marks.entries()) {
    const box = boxes[index]
    const place = box && placeName(mark.name, { around: expandRect(box, edge + halo), frame, boxes, names })
    if (!place) continue
    names.push(place)
    fillRect(picture, place, shade)
    const line = { text: mark.name, x: place.x + padding, y: place.y + padding, height: nameHeight }
    drawLine(picture, line, tintOf(mark))
  }
}

function tintOf({ isKept }: Mark): Colour {
  return isKept ? keptTint : removedTint
}

function boxOn({ x, y, w, h }: Mark, frame: Rect): Rect {
  const left = Math.floor(frame.x + x * frame.width)
  const top = Math.floor(frame.y + y * frame.height)
  const right = Math.ceil(frame.x + (x + w) * frame.width)
  const bottom = Math.ceil(frame.y + (y + h) * frame.height)
  return { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
}

interface Canvas {
  readonly picture: Picture
  /** Nothing is drawn outside. */
  readonly frame: Rect
}

function drawEdges({ picture, frame }: Canvas, box: Rect, mark: Mark): void {
  for (const side of sidesOf(intersectRects(expandRect(box, edge + halo), frame), edge + 2 * halo)) {
    fillRect(picture, intersectRects(side, frame), shade)
  }
  for (const side of sidesOf(intersectRects(expandRect(box, edge), frame), edge)) {
    const dashes = mark.isKept ? dashesOf(side) : [side]
    for (const part of dashes) fillRect(picture, intersectRects(part, frame), tintOf(mark))
  }
}

/** The four sides of a box, so thick. */
function sidesOf({ x, y, width, height }: Rect, thickness: number): Rect[] {
  return [
    { x, y, width, height: thickness },
    { x, y: y + height - thickness, width, height: thickness },
    { x, y, width: thickness, height },
    { x: x + width - thickness, y, width: thickness, height },
  ]
}

function dashesOf({ x, y, width, height }: Rect): Rect[] {
  const count = Math.ceil(Math.max(width, height) / (2 * dash))
  return Array.from({ length: count }, (_, index) => {
    const from = 2 * dash * index
    return width > height
      ? { x: x + from, y, width: Math.min(dash, width - from), height }
      : { x, y: y + from, width, height: Math.min(dash, height - from) }
  })
}
