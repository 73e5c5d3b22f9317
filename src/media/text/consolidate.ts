import type { Bounds } from '../geometry.ts'
import { boxArea, intersectBoxes, type LineBox } from './box.ts'
import type { FoundText } from './found-text.ts'
import { lineArea, lineIntersectionArea } from './tilt.ts'

/** Least edges a line of letters has in a way as long as it is high. */
const minEdgeDensity = 1.5

/** Least sureness: of texts that several samples show, and of those that one does. */
const minTextScore = { several: 0.7, one: 0.8 }

/** Whether what was followed is text. */
export function isText({ score, edgeDensity: edges, detectionCount: seen }: FoundText): boolean {
  return edges >= minEdgeDensity && score >= (seen > 1 ? minTextScore.several : minTextScore.one)
}

/** Share of a text's line, and of its time, that lies in another's, from which it is a part of that. */
const minContainedShare = 0.7

/**
 * Texts without those that are parts of others for as long as they are: a line that faded in was found by halves before.
 * What is left of their time stays where it holds a sample, which lie `step` frames apart.
 */
export function removeContainedTexts(texts: readonly FoundText[], step: number): FoundText[] {
  const largestFirst = texts.toSorted((one, other) => areaTime(other) - areaTime(one))
  const kept: FoundText[] = []
  for (const text of largestFirst) kept.push(...timeOutside(text, kept, step))
  return kept.toSorted((one, other) => one.first - other.first)
}

/** What of a text's time it is not a part of another in. */
function timeOutside(text: FoundText, others: readonly FoundText[], step: number): FoundText[] {
  const whole = others.find((other) => isContained(text, other))
  if (!whole) return [text]
  const [before, after] = [
    { ...text, last: whole.first - 1 },
    { ...text, first: whole.last + 1 },
  ]
  return [before, after]
    .filter(({ first, last }) => last - first + 1 >= step)
    .flatMap((rest) => timeOutside(rest, others, step))
}

function areaTime(text: FoundText): number {
  return lineArea(lineBoxAt(text, text.first)) * (text.last - text.first + 1)
}

function lineBoxAt({ boxAt, tilt }: FoundText, frame: number): LineBox {
  return { ...boxAt(frame), tilt }
}

function isContained(text: FoundText, whole: FoundText): boolean {
  const first = Math.max(text.first, whole.first)
  const last = Math.min(text.last, whole.last)
  if (last - first + 1 < minContainedShare * (text.last - text.first + 1)) return false
  const middle = Math.floor((first + last) / 2)
  const line = lineBoxAt(text, middle)
  return lineIntersectionArea(line, lineBoxAt(whole, middle)) >= minContainedShare * lineArea(line)
}

/** How a video was looked at. */
interface SampledVideo {
  /** Of the picture, px. */
  readonly width: number
  readonly height: number
  /** Frames from one sample to the next, and all there are. */
  readonly step: number
  readonly frames: number
}

/** Share of a text that is in the picture, from which it is not found piece by piece. */
const minWholeShare = 0.95

/** Share of a piece at the picture's edge that lies where the text is expected. */
const minExpectedShare = 0.6

/** After so many samples in a row without a piece the text is gone: one shows in two at most, and one may be missed. */
const maxMissingSamples = 3

/**
 * Frames by which the moment is off at which a text that crosses the edge is first or last known by its letters;
 * of its first and last piece, which are too narrow to be found, two samples.
 */
const maxEdgeFrames = 4

/**
 * Texts that move, followed to where they come into the picture and leave it. At its edge they were found piece by
 * piece, each larger or smaller than the one before: the pieces lie where the text is expected, and are left out.
 */
export function joinEdgeFragments(texts: readonly FoundText[], sampling: SampledVideo): FoundText[] {
  const brief = Map.groupBy(
    texts.filter(({ detectionCount: seen }) => seen <= 2),
    ({ firstSample: sampled }) => sampled,
  )
  const pieces = new Set<FoundText>()
  const joined = texts
    .filter(({ moving }) => moving)
    .map((text) => {
      const mine = findFragments(text, { brief, sampling })
      for (const piece of mine) pieces.add(piece)
      return { ...text, ...extendToEdge(text, { pieces: mine, sampling }) }
    })
  // Of two that move, and are brief, each may be taken for a piece of the other.
  const standing = texts.filter((text) => !text.moving && !pieces.has(text))
  return [...joined, ...standing]
}

interface FragmentSearch {
  /** Texts that may be pieces, by the sample that shows them. */
  readonly brief: ReadonlyMap<number, readonly FoundText[]>
  readonly sampling: SampledVideo
}

/** The pieces of a text, from sample to sample before its time and after it. */
function findFragments(whole: FoundText, around: FragmentSearch): FoundText[] {
  const { step } = around.sampling
  const before = step * (Math.ceil(whole.first / step) - 1)
  const after = step * (Math.floor(whole.last / step) + 1)
  return [
    ...findFragmentsFrom(before, -step, { whole, ...around }),
    ...findFragmentsFrom(after, step, { whole, ...around }),
  ]
}

/**
 * Beyond its time a text goes on evenly: once it has left the picture it stays away. While it goes out and is not cut
 * yet no piece of it is missing, however slowly it goes.
 */
function findFragmentsFrom(
  first: number,
  step: number,
  { whole, brief, sampling }: FragmentSearch & { readonly whole: FoundText },
): FoundText[] {
  const found: FoundText[] = []
  let [missing, before] = [0, visibleShare(whole.boxAt(first - step), sampling)]
  for (let sample = first; sample >= 0 && sample < sampling.frames; sample += step) {
    const place = whole.boxAt(sample)
    const there = visibleBox(place, sampling)
    if (boxArea(there) === 0) return found
    const share = visibleShare(place, sampling)
    const isCut = share < minWholeShare
    const mine = (isCut ? (brief.get(sample) ?? []) : []).filter((other) => {
      const box = other.boxAt(sample)
      return other !== whole && boxArea(intersectBoxes(there, box)) >= minExpectedShare * boxArea(box)
    })
    found.push(...mine)
    missing = mine.length > 0 || (!isCut && share < before) ? 0 : missing + 1
    if (missing === maxMissingSamples) return found
    before = share
  }
  return found
}

function extendToEdge(
  text: FoundText,
  { pieces, sampling }: { readonly pieces: readonly FoundText[]; readonly sampling: SampledVideo },
): { first: number; last: number } {
  const samples = pieces.map(({ firstSample: sampled }) => sampled)
  const first = Math.min(text.first, ...samples)
  const last = Math.max(text.last, ...samples)
  const further = (from: number, way: 1 | -1, most: number) => {
    for (let count = 1; count <= most; count += 1)
      if (boxArea(visibleBox(text.boxAt(from + way * count), sampling)) < 1) return from + way * (count - 1)
    // It does not come from the edge.
    return from
  }
  return {
    first: Math.max(0, further(first, -1, first < text.first ? 2 * sampling.step : maxEdgeFrames)),
    last: Math.min(
      sampling.frames - 1,
      further(last, 1, last > text.last ? 2 * sampling.step : maxEdgeFrames),
    ),
  }
}

function visibleShare(box: Bounds, sampling: SampledVideo): number {
  return boxArea(visibleBox(box, sampling)) / boxArea(box)
}

function visibleBox(box: Bounds, { width, height }: SampledVideo): Bounds {
  return intersectBoxes(box, { left: 0, top: 0, right: width, bottom: height })
}
