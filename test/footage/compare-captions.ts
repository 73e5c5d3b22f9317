import type { FoundRegion } from '../../src/media/clean/region.ts'
import { boxArea, uniteBoxes, boxHeight, intersectionOverUnion, boxWidth } from '../../src/media/text/box.ts'
import { visibleBoxAt, opacityAt, type Footage, type DrawnCaption } from './text.ts'
import type { Bounds } from '../../src/media/geometry.ts'

/** A detected region and the caption that it shows. */
interface Match {
  readonly drawnCaption: DrawnCaption
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
  readonly falseRegions: readonly FoundRegion[]
  /** Offsets beyond the tolerance, as text. */
  readonly notes: readonly string[]
}

/** Share of its opacity from which a caption counts as visible. */
const visibleOpacity = 0.05

/** Compares detected regions with the captions of footage. */
export function compareWithCaptions(
  footage: Footage,
  drawnCaptions: readonly DrawnCaption[],
  regions: readonly FoundRegion[],
): CaptionComparison {
  const falseRegions: FoundRegion[] = []
  const matches: Match[] = []
  for (const region of regions) {
    const match = bestMatch(region, drawnCaptions, footage)
    if (match && !isRepeated(match, matches)) matches.push(match)
    else falseRegions.push(region)
  }
  const missed: string[] = []
  const times: number[] = []
  const notes: string[] = []
  for (const drawnCaption of drawnCaptions) {
    const captionMatches = matches.filter((match) => match.drawnCaption === drawnCaption)
    const visible = visibleFrames(drawnCaption, footage)
    const covered = visible.filter((frame) =>
      captionMatches.some(({ first, last }) => first <= frame && frame <= last),
    )
    if (covered.length < 0.8 * visible.length) {
      missed.push(`${drawnCaption.caption.text} (${covered.length} of ${visible.length} frames)`)
      continue
    }
    const offsets = [
      Math.min(...captionMatches.map(({ first }) => first)) - (visible[0] ?? 0),
      Math.max(...captionMatches.map(({ last }) => last)) - (visible.at(-1) ?? 0),
    ]
    times.push(...offsets)
    if (offsets.some((frames) => Math.abs(frames) > 1))
      notes.push(`${drawnCaption.caption.text}: off in time by ${offsets.join(' and ')}`)
    for (const { edges, tolerances, first } of captionMatches)
      if (edges.some((edge, index) => Math.abs(edge) > (tolerances[index] ?? 0)))
        notes.push(
          `${drawnCaption.caption.text} (${first}): edges off by ${edges.map((one) => one.toFixed(1)).join(' ')}`,
        )
  }
  const edges = matches.flatMap((match) => match.edges)
  const edgesWithinTolerance = matches.flatMap((match) =>
    match.edges.map((edge, index) => Math.abs(edge) <= (match.tolerances[index] ?? 0)),
  )
  return {
    recall: drawnCaptions.length === 0 ? 1 : 1 - missed.length / drawnCaptions.length,
    precision: regions.length === 0 ? 1 : matches.length / regions.length,
    times,
    edges,
    edgesWithin:
      edgesWithinTolerance.length === 0
        ? 1
        : edgesWithinTolerance.filter(Boolean).length / edgesWithinTolerance.length,
    missed,
    falseRegions,
    notes,
  }
}

/** Returns whether a caption was matched before. A static caption has one region; a moving one has several. */
function isRepeated({ drawnCaption, first, last }: Match, matches: readonly Match[]): boolean {
  return matches.some(
    (other) =>
      other.drawnCaption === drawnCaption &&
      (drawnCaption.caption.motion === undefined || (first <= other.last && other.first <= last)),
  )
}

/** Frames on which a caption is visible. */
function visibleFrames(drawnCaption: DrawnCaption, footage: Footage): number[] {
  const { opacity = 1 } = drawnCaption.caption
  return Array.from({ length: footage.frames }, (_, frame) => frame).filter(
    (frame) =>
      opacityAt(drawnCaption.caption, frame) >= visibleOpacity * opacity &&
      visibleBoxAt(drawnCaption, frame, footage) !== undefined,
  )
}

function bestMatch(
  region: FoundRegion,
  drawnCaptions: readonly DrawnCaption[],
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
  const candidates = drawnCaptions.flatMap((drawnCaption) => {
    const boxes = Array.from({ length: last - first + 1 }, (_, index) =>
      visibleBoxAt(drawnCaption, first + index, footage),
    ).filter((one) => one !== undefined)
    if (boxes.length < (last - first + 1) / 2) return []
    const truth = boxes.reduce((one: Bounds, other) => uniteBoxes(one, other))
    return [{ drawnCaption, truth, likeness: intersectionOverUnion(box, truth) }]
  })
  const [best] = candidates.toSorted((one, other) => other.likeness - one.likeness)
  if (!best || best.likeness < 0.5 || boxArea(best.truth) === 0) return undefined
  const { truth, drawnCaption } = best
  const [toleranceX, toleranceY] = [Math.max(3, 0.05 * boxWidth(truth)), Math.max(3, 0.05 * boxHeight(truth))]
  return {
    ...{ drawnCaption, first, last },
    edges: [truth.left - box.left, truth.top - box.top, box.right - truth.right, box.bottom - truth.bottom],
    tolerances: [toleranceX, toleranceY, toleranceX, toleranceY],
  }
}
