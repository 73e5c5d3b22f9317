import { areaOf, shared, type Box } from './box.ts'
import type { FoundText } from './text.ts'

/** How a video was looked at. */
export interface Sampling {
  /** Of the picture, px. */
  readonly width: number
  readonly height: number
  /** Frames from one sample to the next, and all there are. */
  readonly step: number
  readonly frames: number
}

/** Share of a piece at the picture's edge that lies where the text is expected. */
const asExpected = 0.6

/**
 * Frames by which the moment is off at which a text that crosses the edge is first or last known by its letters;
 * of its first and last piece, which are too narrow to be found, two samples.
 */
const slack = 4

/**
 * Texts that move, followed to where they come into the picture and leave it. At its edge they were found piece by
 * piece, each larger or smaller than the one before: the pieces lie where the text is expected, and are left out.
 */
export function joinedAtEdges(texts: readonly FoundText[], sampling: Sampling): FoundText[] {
  const pieces = new Set<FoundText>()
  const joined = texts
    .filter(({ moving }) => moving)
    .map((text) => {
      const mine = texts.filter((other) => other !== text && isPiece(other, text, sampling))
      for (const piece of mine) pieces.add(piece)
      return { ...text, ...followed(text, { pieces: mine, sampling }) }
    })
  const standing = texts.filter((text) => !text.moving)
  return [...joined, ...standing].filter((text) => !pieces.has(text))
}

function isPiece(piece: FoundText, whole: FoundText, sampling: Sampling): boolean {
  const { sampled } = piece
  if (piece.seen > 2 || (sampled >= whole.first && sampled <= whole.last)) return false
  const place = whole.boxAt(sampled)
  const there = inPicture(place, sampling)
  const box = piece.boxAt(sampled)
  return areaOf(there) < 0.95 * areaOf(place) && areaOf(shared(there, box)) >= asExpected * areaOf(box)
}

function followed(
  text: FoundText,
  { pieces, sampling }: { readonly pieces: readonly FoundText[]; readonly sampling: Sampling },
): { first: number; last: number } {
  const samples = pieces.map(({ sampled }) => sampled)
  const first = Math.min(text.first, ...samples)
  const last = Math.max(text.last, ...samples)
  const further = (from: number, way: 1 | -1, most: number) => {
    for (let count = 1; count <= most; count += 1)
      if (areaOf(inPicture(text.boxAt(from + way * count), sampling)) < 1) return from + way * (count - 1)
    // It does not come from the edge.
    return from
  }
  return {
    first: Math.max(0, further(first, -1, first < text.first ? 2 * sampling.step : slack)),
    last: Math.min(sampling.frames - 1, further(last, 1, last > text.last ? 2 * sampling.step : slack)),
  }
}

function inPicture(box: Box, { width, height }: Sampling): Box {
  return shared(box, { left: 0, top: 0, right: width, bottom: height })
}
