import type { Rect } from '../geometry.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { ClipFraming } from '../timeline/framing.ts'
import { centreOf } from './face-tracks.ts'

/** Frames of the source, from `first` to before `end`, shown with one framing. */
export interface FramedRange extends FrameSpan {
  readonly framing: ClipFraming
}

/** A piece of one of the given ranges. */
export interface FramedPiece extends FramedRange {
  readonly range: number
  /** Faces that are to be seen in it. */
  readonly faces: readonly Rect[]
}

/** Shorter pieces are joined to a neighbour that shows the same faces, seconds. */
const minPieceSeconds = 0.5

/**
 * Joins successive pieces of one range: those of the same framing, and those shorter than half a second to a neighbour
 * that shows their faces, if one does.
 */
export function joinPieces(pieces: readonly FramedPiece[], perSecond: number): FramedPiece[] {
  const least = minPieceSeconds * perSecond
  let joined = joinEqual(pieces)
  for (;;) {
    const index = joined.findIndex((piece, at) => piece.end - piece.first < least && isJoinable(joined, at))
    if (index < 0) return joined
    const [piece, before, after] = [joined[index], joined[index - 1], joined[index + 1]]
    const into = piece && before && showsFaces(before.framing, piece.faces) ? before : after
    if (!piece || !into) return joined
    joined = joinEqual(joined.with(index, { ...piece, framing: into.framing }))
  }
}

function isJoinable(pieces: readonly FramedPiece[], index: number): boolean {
  const faces = pieces[index]?.faces ?? []
  return [pieces[index - 1], pieces[index + 1]].some((one) => one && showsFaces(one.framing, faces))
}

function joinEqual(pieces: readonly FramedPiece[]): FramedPiece[] {
  const joined: FramedPiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last && isEqualFraming(last.framing, piece.framing))
      joined[joined.length - 1] = { ...last, end: piece.end, faces: [...last.faces, ...piece.faces] }
    else joined.push(piece)
  }
  return joined
}

function isEqualFraming(one: ClipFraming, other: ClipFraming): boolean {
  if (one.mode === 'crop' && other.mode === 'crop')
    return one.crop.x === other.crop.x && one.crop.y === other.crop.y
  return one.mode === other.mode
}

/** Whether the centres of faces are in what a framing shows. */
function showsFaces(framing: ClipFraming, faces: readonly Rect[]): boolean {
  if (framing.mode !== 'crop') return true
  const { x, y, width, height } = framing.crop
  return faces.every((face) => {
    const centre = centreOf(face)
    return centre.x >= x && centre.x < x + width && centre.y >= y && centre.y < y + height
  })
}
