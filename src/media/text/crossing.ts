import { areaOf, shared, type Bounds } from './box.ts'
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

/** Share of a text that is in the picture, from which it is not found piece by piece. */
const uncut = 0.95

/** Share of a piece at the picture's edge that lies where the text is expected. */
const asExpected = 0.6

/** After so many samples in a row without a piece the text is gone: one shows in two at most, and one may be missed. */
const patience = 3

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
  const brief = Map.groupBy(
    texts.filter(({ seen }) => seen <= 2),
    ({ sampled }) => sampled,
  )
  const pieces = new Set<FoundText>()
  const joined = texts
    .filter(({ moving }) => moving)
    .map((text) => {
      const mine = piecesOf(text, { brief, sampling })
      for (const piece of mine) pieces.add(piece)
      return { ...text, ...followed(text, { pieces: mine, sampling }) }
    })
  // Of two that move, and are brief, each may be taken for a piece of the other.
  const standing = texts.filter((text) => !text.moving && !pieces.has(text))
  return [...joined, ...standing]
}

interface Around {
  /** Texts that may be pieces, by the sample that shows them. */
  readonly brief: ReadonlyMap<number, readonly FoundText[]>
  readonly sampling: Sampling
}

/** The pieces of a text, from sample to sample before its time and after it. */
function piecesOf(whole: FoundText, around: Around): FoundText[] {
  const { step } = around.sampling
  const before = step * (Math.ceil(whole.first / step) - 1)
  const after = step * (Math.floor(whole.last / step) + 1)
  return [
    ...piecesFrom(before, -step, { whole, ...around }),
    ...piecesFrom(after, step, { whole, ...around }),
  ]
}

/**
 * Beyond its time a text goes on evenly: once it has left the picture it stays away. While it goes out and is not cut
 * yet no piece of it is missing, however slowly it goes.
 */
function piecesFrom(
  first: number,
  step: number,
  { whole, brief, sampling }: Around & { readonly whole: FoundText },
): FoundText[] {
  const found: FoundText[] = []
  let [missing, before] = [0, shareInPicture(whole.boxAt(first - step), sampling)]
  for (let sample = first; sample >= 0 && sample < sampling.frames; sample += step) {
    const place = whole.boxAt(sample)
    const there = inPicture(place, sampling)
    if (areaOf(there) === 0) return found
    const share = shareInPicture(place, sampling)
    const isCut = share < uncut
    const mine = (isCut ? (brief.get(sample) ?? []) : []).filter((other) => {
      const box = other.boxAt(sample)
      return other !== whole && areaOf(shared(there, box)) >= asExpected * areaOf(box)
    })
    found.push(...mine)
    missing = mine.length > 0 || (!isCut && share < before) ? 0 : missing + 1
    if (missing === patience) return found
    before = share
  }
  return found
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

function shareInPicture(box: Bounds, sampling: Sampling): number {
  return areaOf(inPicture(box, sampling)) / areaOf(box)
}

function inPicture(box: Bounds, { width, height }: Sampling): Bounds {
  return shared(box, { left: 0, top: 0, right: width, bottom: height })
}
