import type { Bounds } from '../geometry.ts'
import { boxArea, intersectBoxes, type LineBox } from './box.ts'
import type { FoundText } from './found-text.ts'
import { lineArea, lineIntersectionArea } from './tilt.ts'

/** Least edge density of text; see `edgeDensity`. */
const minEdgeDensity = 1.5

/** Least score, 0 to 1, of a text detected in several samples, and of one detected in a single sample. */
const minTextScore = { several: 0.7, one: 0.8 }

/** Whether a tracked candidate is text, by its score and edge density. */
export function isText({ score, edgeDensity: edges, detectionCount }: FoundText): boolean {
  return edges >= minEdgeDensity && score >= (detectionCount > 1 ? minTextScore.several : minTextScore.one)
}

/** Share of a text's area and of its duration inside another text from which it counts as a part of that text. */
const minContainedShare = 0.7

/**
 * Removes the time in which a text is part of another one. While a line fades in, the detector may find its halves
 * separately. The rest of a text's time is kept if it has at least `step` frames, the distance between samples.
 */
export function removeContainedTexts(texts: readonly FoundText[], step: number): FoundText[] {
  const largestFirst = texts.toSorted((one, other) => areaTime(other) - areaTime(one))
  const kept: FoundText[] = []
  for (const text of largestFirst) kept.push(...timeOutside(text, kept, step))
  return kept.toSorted((one, other) => one.first - other.first)
}

/** Returns a text for the times in which it is not part of another text. */
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

/** Sampling of a video. */
interface SampledVideo {
  /** Size of the picture, px. */
  readonly width: number
  readonly height: number
  /** Frames from one sample to the next. */
  readonly step: number
  /** Number of frames of the video. */
  readonly frames: number
}

/** Visible share of a text from which the detector finds it whole rather than in fragments. */
const minWholeShare = 0.95

/** Least share of a fragment's area inside the expected position of the text. */
const minExpectedShare = 0.6

/** Consecutive samples without a fragment after which a text has ended. A fragment spans at most two; one may be missed. */
const maxMissingSamples = 3

/**
 * Most frames between the frame where tracking of a text began or ended and the frame where it crosses the picture's
 * edge. With fragments, the limit is two samples, because the outermost fragments are too narrow to detect.
 */
const maxEdgeFrames = 4

/**
 * Extends moving texts to the frames where they enter and leave the picture. At the picture's edge a moving text is
 * detected as a series of fragments; those at its expected position are removed.
 */
export function joinEdgeFragments(texts: readonly FoundText[], sampling: SampledVideo): FoundText[] {
  const brief = Map.groupBy(
    texts.filter(({ detectionCount }) => detectionCount <= 2),
    ({ firstSample: sampled }) => sampled,
  )
  const fragments = new Set<FoundText>()
  const joined = texts
    .filter(({ moving }) => moving)
    .map((text) => {
      const own = findFragments(text, { brief, sampling })
      for (const fragment of own) fragments.add(fragment)
      return { ...text, ...extendToEdge(text, { fragments: own, sampling }) }
    })
  // Moving texts are always kept: two brief ones may each count as a fragment of the other.
  const still = texts.filter((text) => !text.moving && !fragments.has(text))
  return [...joined, ...still]
}

interface FragmentSearch {
  /** Texts that may be fragments, by their first sample. */
  readonly brief: ReadonlyMap<number, readonly FoundText[]>
  readonly sampling: SampledVideo
}

/** Finds the fragments of a text in the samples before and after its time. */
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
 * Finds fragments in one direction, assuming that the text continues at constant speed. Stops when it has left the
 * picture. While the text is leaving but still whole, samples without a fragment do not count as missing.
 */
function findFragmentsFrom(
  first: number,
  step: number,
  { whole, brief, sampling }: FragmentSearch & { readonly whole: FoundText },
): FoundText[] {
  const found: FoundText[] = []
  let [missing, before] = [0, visibleShare(whole.boxAt(first - step), sampling)]
  for (let sample = first; sample >= 0 && sample < sampling.frames; sample += step) {
    const expected = whole.boxAt(sample)
    const visible = visibleBox(expected, sampling)
    if (boxArea(visible) === 0) return found
    const share = visibleShare(expected, sampling)
    const isCut = share < minWholeShare
    const own = (isCut ? (brief.get(sample) ?? []) : []).filter((other) => {
      const box = other.boxAt(sample)
      return other !== whole && boxArea(intersectBoxes(visible, box)) >= minExpectedShare * boxArea(box)
    })
    found.push(...own)
    missing = own.length > 0 || (!isCut && share < before) ? 0 : missing + 1
    if (missing === maxMissingSamples) return found
    before = share
  }
  return found
}

function extendToEdge(
  text: FoundText,
  { fragments, sampling }: { readonly fragments: readonly FoundText[]; readonly sampling: SampledVideo },
): { first: number; last: number } {
  const samples = fragments.map(({ firstSample: sampled }) => sampled)
  const first = Math.min(text.first, ...samples)
  const last = Math.max(text.last, ...samples)
  const extend = (from: number, direction: 1 | -1, maxFrames: number) => {
    for (let count = 1; count <= maxFrames; count += 1)
      if (boxArea(visibleBox(text.boxAt(from + direction * count), sampling)) < 1)
        return from + direction * (count - 1)
    // The text does not cross the edge here.
    return from
  }
  return {
    first: Math.max(0, extend(first, -1, first < text.first ? 2 * sampling.step : maxEdgeFrames)),
    last: Math.min(
      sampling.frames - 1,
      extend(last, 1, last > text.last ? 2 * sampling.step : maxEdgeFrames),
    ),
  }
}

function visibleShare(box: Bounds, sampling: SampledVideo): number {
  return boxArea(visibleBox(box, sampling)) / boxArea(box)
}

function visibleBox(box: Bounds, { width, height }: SampledVideo): Bounds {
  return intersectBoxes(box, { left: 0, top: 0, right: width, bottom: height })
}
