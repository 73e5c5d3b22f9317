import type { Rational } from '../../contract/media-facts.ts'
import { maxSheetFrames } from '../../contract/regions.ts'
import { framesBetween } from '../frame-rate.ts'

/** The time of a region; left out, all of it. */
export interface TimedRegion {
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** A frame that is shown, and which regions of the list are drawn over it. */
export interface PreviewFrame {
  readonly frame: number
  /** Places in the list, those first that no other frame shows. */
  readonly drawn: readonly number[]
  /** How many more there are at that time. */
  readonly others: number
}

/** Frames that show regions. */
export interface PreviewSelection {
  /** By time. */
  readonly frames: readonly PreviewFrame[]
  /** Places in the list of those that are on none. */
  readonly notShown: readonly number[]
  /** Further frames that would show most of these, for several pictures. */
  readonly next: readonly number[]
}

/** What is to be shown of them. */
export interface PreviewSelectionOptions {
  readonly rate: Rational
  /** Frames of the video; a still picture is one. */
  readonly count: number
  /** Frames that were asked for; left out, those are chosen that show most. */
  readonly at?: readonly number[] | undefined
}

/** Most further frames that are told. */
const maxNextFrames = 3 * maxSheetFrames

/** Most regions over one frame: the names of more have no room. */
export const maxRegionsPerFrame = 40

interface FrameSpan {
  readonly first: number
  readonly end: number
}

/** A place in the list whose region begins (1) or ends (-1) at a frame. */
interface SpanChange {
  readonly frame: number
  readonly place: number
  readonly step: 1 | -1
}

/**
 * Chooses frames until each region is on one, or there are enough: always the middle of the longest time in which
 * most of those are there that are not shown yet. Takes a moment for fifty thousand regions.
 */
export function selectPreviewFrames(
  regions: readonly TimedRegion[],
  { rate, count, at }: PreviewSelectionOptions,
): PreviewSelection {
  const spans = regions.map((region) => frameSpan(region, rate, count))
  const changes = spans
    .flatMap(spanChanges)
    .toSorted((one, other) => one.frame - other.frame || one.step - other.step)
  const seen = new Uint8Array(regions.length)
  const show = (frame: number): PreviewFrame => {
    const news: number[] = []
    const known: number[] = []
    for (const [place, { first, end }] of spans.entries()) {
      if (first <= frame && frame < end) (seen[place] === 1 ? known : news).push(place)
    }
    const drawn = [
      ...news.slice(0, maxRegionsPerFrame),
      ...known.slice(0, Math.max(0, maxRegionsPerFrame - news.length)),
    ]
    for (const place of drawn) seen[place] = 1
    return { frame, drawn, others: news.length + known.length - drawn.length }
  }
  const choose = (most: number): PreviewFrame[] => {
    const chosen: PreviewFrame[] = []
    for (let left = busiestFrame(changes, seen); left !== undefined; left = busiestFrame(changes, seen)) {
      if (chosen.push(show(left)) === most) break
    }
    return chosen
  }
  const frames = at ? at.map(show) : choose(maxSheetFrames)
  const notShown = [...regions.keys()].filter((place) => seen[place] === 0)
  const next = choose(maxNextFrames).map(({ frame }) => frame)
  return {
    // Without a region there is still a frame to look at.
    frames: (frames.length > 0 ? frames : [show(count >>> 1)]).toSorted(
      (one, other) => one.frame - other.frame,
    ),
    notShown,
    next: [...new Set(next)].toSorted((one, other) => one - other),
  }
}

function frameSpan({ start = 0, end = Infinity }: TimedRegion, rate: Rational, count: number): FrameSpan {
  const span = framesBetween({ start, end }, rate)
  return { first: span.first, end: Math.min(count, span.end) }
}

function spanChanges({ first, end }: FrameSpan, place: number): SpanChange[] {
  if (first >= end) return []
  return [
    { frame: first, place, step: 1 },
    { frame: end, place, step: -1 },
  ]
}

/** The middle of the longest run of frames in which most of those are there; undefined where none is anywhere. */
function busiestFrame(changes: readonly SpanChange[], seen: Uint8Array): number | undefined {
  let best = { there: 0, from: 0, until: 0 }
  let [there, from] = [0, 0]
  for (const { frame, place, step } of changes) {
    if (seen[place] === 1) continue
    // What was there since the last change stayed until this one.
    const isMore = there > best.there || (there === best.there && frame - from > best.until - best.from)
    if (there > 0 && frame > from && isMore) best = { there, from, until: frame }
    there += step
    from = frame
  }
  return best.there === 0 ? undefined : (best.from + best.until - 1) >>> 1
}
