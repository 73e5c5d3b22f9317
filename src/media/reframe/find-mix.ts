import {
  contrastOf,
  lumaCorrelation,
  minLightCorrelation,
  relativeDifference,
  unexplainedByMotion,
} from './compare-thumbnails.ts'
import type { Thumbnail } from './thumbnail.ts'

/** A gradual change from one shot to another. */
export interface Mix {
  /** First frame in which the new shot prevails. A fade from or to a plain colour changes at the plain end. */
  readonly frame: number
  /** The frames that show both shots: from `first` to before `end`. */
  readonly first: number
  readonly end: number
  /** How far the frames are from mixtures of the ends, relative to the distance of the ends; 0 is exact. */
  readonly error: number
  /** Difference of the ends, relative to their contrast: less if they show only a part of the change. */
  readonly difference: number
}

/** Least difference of the ends of a dissolve, relative to their contrast. */
const minDifference = 0.4

/** Cells that change by at least this share of the mean change, and their least share of all: an object is smaller. */
const [minCellChange, minChangedCells] = [0.3, 0.55]

/** Largest distance of the frames within from mixtures of the ends. */
const maxError = 0.25

/** Largest part of the change that happens from one frame to the next; more is a cut. */
const maxStepShare = 0.45

/** Least share of the difference of the ends that motion leaves unexplained. */
const minUnexplained = 0.5

/** Contrast of a plain end relative to that of the other end, at most. */
const plainContrast = 0.2

/** Shares of the new shot between which a mixture is measured: its ends are hard to see. */
const [early, late] = [0.1, 0.9]

/**
 * Finds a dissolve or a fade in successive frames: each frame is close to a mixture of the first and the last one, and
 * the share of the last one grows. Motion is none: its frames are no mixtures, or a shift explains the ends. `steps`:
 * difference of each frame but the first from the one before. Frames are counted from the first one.
 */
export function findMix(window: readonly Thumbnail[], steps: readonly number[]): Mix | undefined {
  const [start, end] = [window[0], window.at(-1)]
  if (!start || !end) return undefined
  const difference = relativeDifference(start, end)
  if (difference < minDifference || Math.max(...steps) > maxStepShare * difference) return undefined
  const ends = { start: withoutMeans(start), end: withoutMeans(end) }
  const structure = meanDistance(ends) / Math.max(1, (contrastOf(start) + contrastOf(end)) / 2)
  if (structure < minDifference || changedCells(ends) < minChangedCells) return undefined
  const quarters = [1, 2, 3].map((quarter) => window[Math.round((quarter * (window.length - 1)) / 4)])
  let [error, previous] = [0, 0]
  for (const frame of quarters) {
    if (!frame) return undefined
    const centred = withoutMeans(frame)
    const share = shareOfEnd(centred, ends)
    if (share < previous) return undefined
    previous = share
    error = Math.max(error, mixtureError(centred, { ...ends, share }))
    if (error > maxError) return undefined
  }
  const shares = window.map((frame) => shareOfEnd(withoutMeans(frame), ends))
  const crossing = (level: number) => shares.findIndex((share) => share >= level)
  const middle = crossing(0.5)
  if (lumaCorrelation(start, end) >= minLightCorrelation) return undefined
  // The change is in the window, not at its edge, where another window sees it whole.
  if (middle < window.length / 4 || middle > (3 * window.length) / 4) return undefined
  if (unexplainedByMotion(start, end) < minUnexplained) return undefined
  const margin = Math.round(((crossing(late) - crossing(early)) * early) / (late - early))
  const first = Math.max(0, crossing(early) - margin)
  const last = Math.min(window.length - 1, crossing(late) + margin)
  return {
    first,
    end: last,
    frame: changeFrame([start, end], { first, middle, last }),
    error,
    difference: structure,
  }
}

/** Values of both ends, without the means of their planes. */
interface MixEnds {
  readonly start: Float32Array
  readonly end: Float32Array
}

/** Returns the values of a thumbnail without the mean of each plane: the light of a scene may change within a shot. */
function withoutMeans({ columns, rows, values }: Thumbnail): Float32Array {
  const cells = columns * rows
  const centred = values.slice()
  for (let from = 0; from < centred.length; from += cells) {
    let sum = 0
    for (let at = from; at < from + cells; at += 1) sum += centred[at] ?? 0
    const mean = sum / cells
    for (let at = from; at < from + cells; at += 1) centred[at] = (centred[at] ?? 0) - mean
  }
  return centred
}

/** Returns the mean distance of the luma of both ends, in levels. */
function meanDistance({ start, end }: MixEnds): number {
  const cells = start.length / 3
  let sum = 0
  for (let cell = 0; cell < cells; cell += 1) sum += Math.abs((end[cell] ?? 0) - (start[cell] ?? 0))
  return sum / cells
}

/** Returns the share of the cells whose luma changes. */
function changedCells(ends: MixEnds): number {
  const { start, end } = ends
  const least = minCellChange * meanDistance(ends)
  const cells = start.length / 3
  let changed = 0
  for (let cell = 0; cell < cells; cell += 1)
    changed += Math.abs((end[cell] ?? 0) - (start[cell] ?? 0)) >= least ? 1 : 0
  return changed / cells
}

/** Returns the frame at which a mixture counts as changed: its middle, or its plain end. */
function changeFrame(
  [start, end]: readonly [Thumbnail, Thumbnail],
  { first, middle, last }: { readonly first: number; readonly middle: number; readonly last: number },
): number {
  const [before, after] = [contrastOf(start), contrastOf(end)]
  if (before < plainContrast * after) return first
  return after < plainContrast * before ? last : middle
}

/** Returns the share of the end in the values of a frame: their projection on the way from the start to the end. */
function shareOfEnd(values: Float32Array, { start, end }: MixEnds): number {
  let [product, square] = [0, 0]
  for (let at = 0; at < values.length; at += 1) {
    const way = (end[at] ?? 0) - (start[at] ?? 0)
    product += way * ((values[at] ?? 0) - (start[at] ?? 0))
    square += way * way
  }
  return product / Math.max(1, square)
}

/** Returns the distance of a frame from a mixture of two others, relative to the distance of these. */
function mixtureError(
  values: Float32Array,
  { start, end, share }: MixEnds & { readonly share: number },
): number {
  let [error, distance] = [0, 0]
  for (let at = 0; at < values.length; at += 1) {
    const [from, to] = [start[at] ?? 0, end[at] ?? 0]
    error += Math.abs((values[at] ?? 0) - from - share * (to - from))
    distance += Math.abs(to - from)
  }
  return error / Math.max(1, distance)
}

/**
 * Returns one mixture for each change: of those that overlap, the one that shows most of it. A part of a mixture is one as
 * well, so that longer ones are preferred.
 */
export function keepBestMixes(mixes: readonly Mix[]): Mix[] {
  const shown = ({ difference, error, first, end }: Mix) => difference * (1 - error) * (end - first) ** 0.25
  const kept: Mix[] = []
  for (const mix of mixes.toSorted((one, other) => shown(other) - shown(one))) {
    if (kept.every(({ first, end }) => mix.end < first || mix.first > end)) kept.push(mix)
  }
  return kept
}
