import type { Frame } from '../clean/frame.ts'
import { boxArea, translateBox, type TextBox } from './box.ts'
import { joinIntoLines } from './lines.ts'

/** A part of a frame, and the position of its first pixel in that frame. */
export interface Tile {
  readonly left: number
  readonly top: number
  readonly frame: Frame
}

/** Usual ratio of a picture's longer side to its shorter one. */
export const usualAspect = 16 / 9

/** Frames within this ratio to the usual aspect, or within this longest side in px, are not split. */
const maxWholeAspectRatio = 1.25
const maxWholeSide = 1280

/** Least length of a tile, px; lines are seldom longer. */
const minTileSide = 960

/** Overlap of neighbouring tiles, as a share of their length; more than the height of a line. */
const tileOverlap = 0.15

/** Splits a long frame into overlapping tiles along its longer side, to limit memory. Returns other frames as one tile. */
export function splitIntoTiles(frame: Frame): Tile[] {
  const { width, height } = frame
  const isTall = height > width
  const [short, long] = isTall ? [width, height] : [height, width]
  if (long <= Math.max(maxWholeSide, maxWholeAspectRatio * usualAspect * short))
    return [{ left: 0, top: 0, frame }]
  const side = roundDownToEven(Math.max(short, minTileSide))
  // Rounding to even positions moves a tile by up to two pixels.
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

/** Converts lines detected in tiles to lines of the whole frame, largest first. Joins the parts of lines cut by tile borders. */
export function mergeTileLines(
  found: readonly { readonly tile: Tile; readonly boxes: readonly TextBox[] }[],
  frame: { readonly width: number; readonly height: number },
): TextBox[] {
  const boxes = found.flatMap(({ tile, boxes: inTile }) =>
    inTile.map((box) => ({ ...box, ...translateBox(box, tile.left, tile.top) })),
  )
  // Boxes of a single tile are already joined to lines.
  const lines = found.length > 1 ? joinIntoLines(boxes, frame) : boxes
  return lines.toSorted((one, other) => boxArea(other) - boxArea(one))
}

interface FramePart {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Copies a part of a 4:2:0 frame. Position and size of the part are even. */
function copyFramePart({ width, height, bytes }: Frame, part: FramePart): Frame {
  const copy = new Uint8Array((part.width * part.height * 3) / 2)
  let [from, to] = [0, 0]
  for (const subsampling of [1, 2, 2]) {
    const stride = width / subsampling
    for (let row = part.top / subsampling; row < (part.top + part.height) / subsampling; row += 1) {
      const at = from + row * stride + part.left / subsampling
      copy.set(bytes.subarray(at, at + part.width / subsampling), to)
      to += part.width / subsampling
    }
    from += stride * (height / subsampling)
  }
  return { width: part.width, height: part.height, bytes: copy }
}
