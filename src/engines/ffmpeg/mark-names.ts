import { textWidth } from './lettering.ts'
import { type Rect, intersectRects } from '../../media/geometry.ts'

/** Height of the digits of a label and padding around them, pixels. */
export const nameHeight = 10
export const namePadding = 3

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
export function placeName(name: string, { around, frame, boxes, names }: PlaceNameOptions): Rect | undefined {
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
  const places = corners
    .map(([x, y]): Rect => {
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

/** Returns the area that two boxes share, square pixels; 0 if they only touch. */
function sharedArea(one: Rect, other: Rect): number {
  const { width, height } = intersectRects(one, other)
  return Math.max(0, width) * Math.max(0, height)
}
