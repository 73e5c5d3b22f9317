import { expandRect, intersectRects, type Rect } from '../../media/geometry.ts'
import { drawTextLine, textWidth } from './lettering.ts'
import { fillRect, keptTint, removedTint, type RgbColour, type RgbPicture, shadeTint } from './raster.ts'

/** A rectangle over a frame. Position and size are fractions of the frame's sides, 0 to 1. */
export interface Mark {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  /** Label drawn beside the rectangle. */
  readonly name: string
  /** Whether the region is protected, so that nothing inside it changes. */
  readonly isKept: boolean
}

/**
 * Thickness of an outline and of the dark line beside it, pixels. The outline surrounds the mark if space
 * allows.
 */
const edgeWidth = 2
const haloWidth = 1

/** Length of a dash and of a gap around protected regions, pixels. */
const dashLength = 6

/**
 * Draws marks over a frame inside a picture: solid outlines around removed regions, dashed ones around
 * protected regions. A label is placed where it covers other marks least, and is omitted if no space is left.
 */
export function drawMarks(picture: RgbPicture, frame: Rect, marks: readonly Mark[]): void {
  const boxes = marks.map((mark) => markRect(mark, frame))
  for (const [index, mark] of marks.entries()) {
    const box = boxes[index]
    if (box) drawEdges({ picture, frame }, box, mark)
  }
  const names: Rect[] = []
  for (const [index, mark] of marks.entries()) {
    const box = boxes[index]
    const label =
      box && placeName(mark.name, { around: expandRect(box, edgeWidth + haloWidth), frame, boxes, names })
    if (!label) continue
    names.push(label)
    fillRect(picture, label, shadeTint)
    const line = { text: mark.name, x: label.x + namePadding, y: label.y + namePadding, height: nameHeight }
    drawTextLine(picture, line, markTintOf(mark))
  }
}

function markTintOf({ isKept }: Mark): RgbColour {
  return isKept ? keptTint : removedTint
}

function markRect({ x, y, w, h }: Mark, frame: Rect): Rect {
  const left = Math.floor(frame.x + x * frame.width)
  const top = Math.floor(frame.y + y * frame.height)
  const right = Math.ceil(frame.x + (x + w) * frame.width)
  const bottom = Math.ceil(frame.y + (y + h) * frame.height)
  return { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
}

interface MarkedArea {
  readonly picture: RgbPicture
  /** Clipping rectangle for drawing. */
  readonly frame: Rect
}

function drawEdges({ picture, frame }: MarkedArea, box: Rect, mark: Mark): void {
  for (const side of rectSides(
    intersectRects(expandRect(box, edgeWidth + haloWidth), frame),
    edgeWidth + 2 * haloWidth,
  )) {
    fillRect(picture, intersectRects(side, frame), shadeTint)
  }
  for (const side of rectSides(intersectRects(expandRect(box, edgeWidth), frame), edgeWidth)) {
    const dashes = mark.isKept ? dashRects(side) : [side]
    for (const part of dashes) fillRect(picture, intersectRects(part, frame), markTintOf(mark))
  }
}

/** Returns the four sides of a box as rectangles of a thickness in pixels. */
function rectSides({ x, y, width, height }: Rect, thickness: number): Rect[] {
  return [
    { x, y, width, height: thickness },
    { x, y: y + height - thickness, width, height: thickness },
    { x, y, width: thickness, height },
    { x: x + width - thickness, y, width: thickness, height },
  ]
}

function dashRects({ x, y, width, height }: Rect): Rect[] {
  const count = Math.ceil(Math.max(width, height) / (2 * dashLength))
  return Array.from({ length: count }, (_, index) => {
    const from = 2 * dashLength * index
    return width > height
      ? { x: x + from, y, width: Math.min(dashLength, width - from), height }
      : { x, y: y + from, width, height: Math.min(dashLength, height - from) }
  })
}

/** Height of the digits of a label and padding around them, pixels. */
const nameHeight = 10
const namePadding = 3

interface PlaceNameOptions {
  /** The marked box including its outline. */
  readonly around: Rect
  readonly frame: Rect
  readonly boxes: readonly Rect[]
  /** Labels that are already placed. */
  readonly names: readonly Rect[]
}

/**
 * Returns the box of a label beside its mark, where it covers other marks least. Returns undefined if no
 * space is left.
 */
function placeName(name: string, { around, frame, boxes, names }: PlaceNameOptions): Rect | undefined {
  const width = Math.ceil(textWidth(name, nameHeight)) + 2 * namePadding
  const height = nameHeight + 2 * namePadding + 2
  if (width > frame.width || height > frame.height) return undefined
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
  const candidates = corners
    .map(([x, y]): Rect => {
      const left = inside(x, frame.x, frame.width - width)
      return { x: left, y: inside(y, frame.y, frame.height - height), width, height }
    })
    .filter((label) => names.every((other) => sharedArea(label, other) === 0))
    .map((label) => ({ label, coveredArea: boxes.reduce((sum, other) => sum + sharedArea(label, other), 0) }))
  return candidates.reduce<(typeof candidates)[number] | undefined>(
    (best, one) => (best && best.coveredArea <= one.coveredArea ? best : one),
    undefined,
  )?.label
}

/** Returns the area that two boxes share, square pixels; 0 if they only touch. */
function sharedArea(one: Rect, other: Rect): number {
  const { width, height } = intersectRects(one, other)
  return Math.max(0, width) * Math.max(0, height)
}
