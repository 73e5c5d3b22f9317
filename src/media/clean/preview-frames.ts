import type { Rational } from '../../contract/media-facts.ts'
import { maxSheetFrames } from '../../contract/regions.ts'
import { framesBetween } from '../frame-rate.ts'

/** The time span of a region in seconds; unset means from the start or to the end. */
export interface TimedRegion {
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** A frame to show, and the regions to draw on it. */
export interface PreviewFrame {
  readonly frame: number
  /** Indexes into the list, regions that no earlier frame shows first. */
  readonly drawn: readonly number[]
  /** Number of further regions active at that time. */
  readonly undrawnCount: number
}

/** Frames chosen to preview regions. */
export interface PreviewSelection {
  /** Ascending by time. */
  readonly frames: readonly PreviewFrame[]
  /** Indexes of regions that no frame shows. */
  readonly notShown: readonly number[]
  /** Further frames that show most of these, for follow-up sheets. */
  readonly next: readonly number[]
}

/** Options of `selectPreviewFrames`. */
export interface PreviewSelectionOptions {
  readonly rate: Rational
  /** Number of frames of the video; 1 for a still image. */
  readonly count: number
  /** Requested frames. If unset, the frames that show most regions are chosen. */
  readonly at?: readonly number[] | undefined
}

/** Limit of `next`. */
const maxNextFrames = 3 * maxSheetFrames

/** Limit of regions drawn on one frame; more labels do not fit. */
export const maxRegionsPerFrame = 40

interface RegionFrames {
  readonly first: number
  readonly end: number
}

/** The start (1) or end (-1) of a region, by its index in the list. */
interface SpanChange {
  readonly frame: number
  readonly region: number
  readonly step: 1 | -1
}

/**
 * Chooses frames until every region is shown or the limit is reached. Each is the middle of the longest span in which
 * most regions are active that are not shown yet. Handles 50,000 regions in well under a second.
 */
export function selectPreviewFrames(
  regions: readonly TimedRegion[],
  { rate, count, at }: PreviewSelectionOptions,
): PreviewSelection {
  const spans = regions.map((region) => regionFrames(region, rate, count))
  const changes = spans
    .flatMap(spanChanges)
    .toSorted((one, other) => one.frame - other.frame || one.step - other.step)
  const isShown = new Uint8Array(regions.length)
  const frameWithRegions = (frame: number): PreviewFrame => {
    const unshown: number[] = []
    const shown: number[] = []
    for (const [region, { first, end }] of spans.entries()) {
      if (first <= frame && frame < end) (isShown[region] === 1 ? shown : unshown).push(region)
    }
    const drawn = [
      ...unshown.slice(0, maxRegionsPerFrame),
      ...shown.slice(0, Math.max(0, maxRegionsPerFrame - unshown.length)),
    ]
    for (const region of drawn) isShown[region] = 1
    return { frame, drawn, undrawnCount: unshown.length + shown.length - drawn.length }
  }
  const choose = (limit: number): PreviewFrame[] => {
    const chosen: PreviewFrame[] = []
    for (
      let frame = busiestFrame(changes, isShown);
      frame !== undefined;
      frame = busiestFrame(changes, isShown)
    ) {
      if (chosen.push(frameWithRegions(frame)) === limit) break
    }
    return chosen
  }
  const frames = at ? at.map(frameWithRegions) : choose(maxSheetFrames)
  const notShown = [...regions.keys()].filter((region) => isShown[region] === 0)
  const next = choose(maxNextFrames).map(({ frame }) => frame)
  return {
    // Without regions, show the middle frame.
    frames: (frames.length > 0 ? frames : [frameWithRegions(count >>> 1)]).toSorted(
      (one, other) => one.frame - other.frame,
    ),
    notShown,
    next: [...new Set(next)].toSorted((one, other) => one - other),
  }
}

function regionFrames(
  { start = 0, end = Infinity }: TimedRegion,
  rate: Rational,
  count: number,
): RegionFrames {
  const span = framesBetween({ start, end }, rate)
  return { first: span.first, end: Math.min(count, span.end) }
}

function spanChanges({ first, end }: RegionFrames, region: number): SpanChange[] {
  if (first >= end) return []
  return [
    { frame: first, region, step: 1 },
    { frame: end, region, step: -1 },
  ]
}

/** Returns the middle of the longest span with the most unshown regions, or undefined if none is left. */
function busiestFrame(changes: readonly SpanChange[], isShown: Uint8Array): number | undefined {
  let best = { activeCount: 0, from: 0, until: 0 }
  let [activeCount, from] = [0, 0]
  for (const { frame, region, step } of changes) {
    if (isShown[region] === 1) continue
    // The count was constant since the previous change.
    const isMore =
      activeCount > best.activeCount ||
      (activeCount === best.activeCount && frame - from > best.until - best.from)
    if (activeCount > 0 && frame > from && isMore) best = { activeCount, from, until: frame }
    activeCount += step
    from = frame
  }
  return best.activeCount === 0 ? undefined : (best.from + best.until - 1) >>> 1
}
