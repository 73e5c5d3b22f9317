import type { Frame } from '../clean/frame.ts'
import { boxArea, translateBox, type TextBox } from './box.ts'
import { joinIntoLines } from './lines.ts'

/** A part of a frame, and where its first pixel lies there. */
export interface Tile {
  readonly left: number
  readonly top: number
  readonly frame: Frame
}

/** How much longer pictures usually are than wide. */
export const usualAspect = 16 / 9

/** A frame may be longer than that by so much, times, and so long, px, before it is looked at in tiles. */
const maxWholeAspectRatio = 1.25
const maxWholeSide = 1280

/** Least length of a tile, px: lines are seldom longer. */
const minTileSide = 960

/** What a tile shares with the next, of its length: more than a line is high. */
const tileOverlap = 0.15

/** A frame as it is, or one that is long as tiles along it, square where it is wide enough, which overlap: what they take of memory is less. */
export function splitIntoTiles(frame: Frame): Tile[] {
  const { width, height } = frame
  const isTall = height > width
  const [short, long] = isTall ? [width, height] : [height, width]
  if (long <= Math.max(maxWholeSide, maxWholeAspectRatio * usualAspect * short))
    return [{ left: 0, top: 0, frame }]
  const side = roundDownToEven(Math.max(short, minTileSide))
  // Even places may lie two pixels off.
  const overlap = tileOverlap * side + 2
  const count = Math.ceil((long - overlap) / (side - overlap))
  return Array.from({ length: count }, (_, index) => {
    const from = roundDownToEven(((long - side) * index) / (count - 1))
    return isTall
      ? { left: 0, top: from, frame: copyFramePart(frame, { left: 0, top: from, width, height: side }) }
      : { left: from, top: 0, frame: copyFramePart(frame, { left: from, top: 0, width: side, height }) }
  })
}

function roundDownToEven(length: number): number {
  return 2 * Math.floor(length / 2)
}

/** The lines that were found in tiles, as lines of the whole frame, the largest first: of one that is cut, its whole. */
export function mergeTileLines(
  found: readonly { readonly tile: Tile; readonly boxes: readonly TextBox[] }[],
  frame: { readonly width: number; readonly height: number },
): TextBox[] {
  const boxes = found.flatMap(({ tile, boxes: here }) =>
    here.map((box) => ({ ...box, ...translateBox(box, tile.left, tile.top) })),
  )
  // Of one tile they are lines already.
  const lines = found.length > 1 ? joinIntoLines(boxes, frame) : boxes
  return lines.toSorted((one, other) => boxArea(other) - boxArea(one))
}

interface Place {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** A part of a frame at even places. */
function copyFramePart({ width, height, bytes }: Frame, place: Place): Frame {
  const copy = new Uint8Array((place.width * place.height * 3) / 2)
  let [from, to] = [0, 0]
  for (const by of [1, 2, 2]) {
    const stride = width / by
    for (let row = place.top / by; row < (place.top + place.height) / by; row += 1) {
      const at = from + row * stride + place.left / by
      copy.set(bytes.subarray(at, at + place.width / by), to)
      to += place.width / by
    }
    from += stride * (height / by)
  }
  return { width: place.width, height: place.height, bytes: copy }
}
