import type { FoundRegion } from '../../src/media/clean/region.ts'
import { boxArea, uniteBoxes, boxHeight, intersectionOverUnion, boxWidth } from '../../src/media/text/box.ts'
import { inkBoxAt, opacityAt, type Footage, type Lettering } from './text.ts'
import type { Bounds } from '../../src/media/geometry.ts'

/** A detected region and the caption that it shows. */
interface Match {
  readonly lettering: Lettering
  /** Frames of the region. */
  readonly first: number
  readonly last: number
  /** Offset of each edge, px. Positive: too far out; negative: too far in. */
  readonly edges: readonly [number, number, number, number]
  /** Tolerance of each edge, px: 3, or 5 % of the side if larger. */
  readonly tolerances: readonly [number, number, number, number]
}

/** Detected regions compared with the captions of footage. */
export interface CaptionComparison {
  readonly recall: number
  readonly precision: number
  /** Offsets of first and last frames of detected captions, in frames. */
  readonly times: readonly number[]
  /** Share of edges within their tolerance, 0 to 1. */
  readonly edgesWithin: number
  /** Offsets of all edges, px. */
  readonly edges: readonly number[]
  /** Captions that were not detected, and regions without a caption. */
  readonly missed: readonly string[]
  readonly wrong: readonly FoundRegion[]
  /** Offsets beyond the tolerance, as text. */
  readonly notes: readonly string[]
}

/** Share of its opacity from which a caption counts as visible. */
const visible = 0.05

/** Compares detected regions with the captions of footage. */
export function compareWithCaptions(
  footage: Footage,
  letterings: readonly Lettering[],
  regions: readonly FoundRegion[],
): CaptionComparison {
  const wrong: FoundRegion[] = []
  const matches: Match[] = []
  for (const region of regions) {
    const match = bestMatch(region, letterings, footage)
    if (match && !repeats(match, matches)) matches.push(match)
    else wrong.push(region)
  }
  const missed: string[] = []
  const times: number[] = []
  const notes: string[] = []
  for (const lettering of letterings) {
    const mine = matches.filter((match) => match.lettering === lettering)
    const shown = visibleFrames(lettering, footage)
    const covered = shown.filter((frame) => mine.some(({ first, last }) => first <= frame && frame <= last))
    if (covered.length < 0.8 * shown.length) {
      missed.push(`${lettering.caption.text} (${covered.length} of ${shown.length} frames)`)
      continue
    }
    const off = [
      Math.min(...mine.map(({ first }) => first)) - (shown[0] ?? 0),
      Math.max(...mine.map(({ last }) => last)) - (shown.at(-1) ?? 0),
    ]
    times.push(...off)
    if (off.some((frames) => Math.abs(frames) > 1))
      notes.push(`${lettering.caption.text}: off in time by ${off.join(' and ')}`)
    for (const { edges, tolerances, first } of mine)
      if (edges.some((edge, index) => Math.abs(edge) > (tolerances[index] ?? 0)))
        notes.push(
          `${lettering.caption.text} (${first}): edges off by ${edges.map((one) => one.toFixed(1)).join(' ')}`,
        )
  }
  const edges = matches.flatMap((match) => match.edges)
  const within = matches.flatMap((match) =>
    match.edges.map((edge, index) => Math.abs(edge) <= (match.tolerances[index] ?? 0)),
  )
  return {
    recall: letterings.length === 0 ? 1 : 1 - missed.length / letterings.length,
    precision: regions.length === 0 ? 1 : matches.length / regions.length,
    times,
    edges,
    edgesWithin: within.length === 0 ? 1 : within.filter(Boolean).length / within.length,
    missed,
    wrong,
    notes,
  }
}

/** Returns whether a caption was matched before. A static caption has one region; a moving one has several. */
function repeats({ lettering, first, last }: Match, matches: readonly Match[]): boolean {
  return matches.some(
    (other) =>
      other.lettering === lettering &&
      (lettering.caption.motion === undefined || (first <= other.last && other.first <= last)),
  )
}

/** Frames on which a caption is visible. */
function visibleFrames(lettering: Lettering, footage: Footage): number[] {
  const { opacity = 1 } = lettering.caption
  return Array.from({ length: footage.frames }, (_, frame) => frame).filter(
    (frame) =>
      opacityAt(lettering.caption, frame) >= visible * opacity &&
      inkBoxAt(lettering, frame, footage) !== undefined,
  )
}

function bestMatch(
  region: FoundRegion,
  letterings: readonly Lettering[],
  footage: Footage,
): Match | undefined {
  const first = Math.ceil(region.start * footage.fps - 1e-6)
  const last = Math.ceil(region.end * footage.fps - 1e-6) - 1
  const box = {
    left: region.x * footage.width,
    top: region.y * footage.height,
    right: (region.x + region.w) * footage.width,
    bottom: (region.y + region.h) * footage.height,
  }
  const tried = letterings.flatMap((lettering) => {
    const boxes = Array.from({ length: last - first + 1 }, (_, index) =>
      inkBoxAt(lettering, first + index, footage),
    ).filter((one) => one !== undefined)
    if (boxes.length < (last - first + 1) / 2) return []
    const truth = boxes.reduce((one: Bounds, other) => uniteBoxes(one, other))
    return [{ lettering, truth, likeness: intersectionOverUnion(box, truth) }]
  })
  const [best] = tried.toSorted((one, other) => other.likeness - one.likeness)
  if (!best || best.likeness < 0.5 || boxArea(best.truth) === 0) return undefined
  const { truth, lettering } = best
  const [across, down] = [Math.max(3, 0.05 * boxWidth(truth)), Math.max(3, 0.05 * boxHeight(truth))]
  return {
    ...{ lettering, first, last },
    edges: [truth.left - box.left, truth.top - box.top, box.right - truth.right, box.bottom - truth.bottom],
    tolerances: [across, down, across, down],
  }
}
