import type { ShownRegions } from '../contract/file-routes.ts'
import { type ListedRegion, regionLabel, type RegionsFile } from '../contract/regions.ts'
import { isDrawable } from '../engines/ffmpeg/lettering.ts'
import type { MarkedFrame } from '../engines/ffmpeg/region-sheet.ts'
import type { FrameGrid } from '../media/clean/frame-grid.ts'
import {
  type PreviewFrame,
  type PreviewSelection as Chosen,
  selectPreviewFrames,
} from '../media/clean/preview-frames.ts'

/** Frames and labels of a picture of regions. */
export interface RegionPicture {
  readonly description: ShownRegions
  readonly frames: readonly MarkedFrame[]
  /** Equal for equal pictures of the same file. */
  readonly name: string
}

/** What a picture shows. */
export interface RegionSelection {
  readonly grid: FrameGrid
  /** Frames to show; by default those that show the most regions. */
  readonly at: readonly number[] | undefined
  /** Name of the picture. */
  readonly name: string
}

/** Selects the frames of a picture of regions and the marks on each. */
export function composeRegionPicture(
  list: RegionsFile,
  { grid: { rate, count, first, startMs }, at, name }: RegionSelection,
): RegionPicture {
  const marks = createRegionMarks(list)
  const shown = selectPreviewFrames(marks, { rate, count, at })
  const msOf = (frame: number): number => (1000 * frame * rate.den) / rate.num
  return {
    name,
    description: describeShownRegions(list, marks, { ...shown, secondsOf: (frame) => msOf(frame) / 1000 }),
    // The middle of a frame's duration, so that rounding never selects its neighbour.
    frames: shown.frames.map(({ frame, drawn }) => ({
      startMs: msOf(frame),
      visibleMs: startMs + msOf(Math.max(0, frame - first) + 0.5),
      marks: drawn.flatMap((index) => marks[index] ?? []),
    })),
  }
}

/** A region of either list with its labels. */
interface RegionMark extends ListedRegion {
  /** Unique label in the picture. */
  readonly label: string
  /** The label with its score. */
  readonly name: string
  /** Its id when it is short and drawable, else its label. */
  readonly reportedAs: string
  readonly isKept: boolean
}

/** Longest drawn label, characters; fits on the narrowest frames. */
const maxDrawnLabel = 16

/** Marks of protected regions, which are few and matter most, then of regions to remove. */
function createRegionMarks({ regions, protect_regions }: RegionsFile): RegionMark[] {
  const removed = new Set(regions.map(({ id }) => id))
  const mark =
    (isKept: boolean) =>
    (region: ListedRegion, index: number): RegionMark => {
      const { id, score } = region
      const number = regionLabel(undefined, { index, isKept })
      const reportedAs = regionLabel(id, { index, isKept, isTaken: isKept && removed.has(id) })
      const label = isDrawable(reportedAs) && reportedAs.length <= maxDrawnLabel ? reportedAs : number
      const name = score === undefined ? label : `${label} ${score.toFixed(2)}`
      return { ...region, label, name, reportedAs, isKept }
    }
  return [...protect_regions.map(mark(true)), ...regions.map(mark(false))]
}

/** Most ids listed of the regions that are not shown. */
const maxReportedIds = 50

/** Selected frames with their times. */
interface SelectedFrames extends Chosen {
  readonly secondsOf: (frame: number) => number
}

/** Describes a picture of regions. */
function describeShownRegions(
  list: RegionsFile,
  marks: readonly RegionMark[],
  { frames, notShown, next, secondsOf }: SelectedFrames,
): ShownRegions {
  const drawn = (frame: PreviewFrame): RegionMark[] => frame.drawn.flatMap((index) => marks[index] ?? [])
  const idsOf = (some: readonly RegionMark[], isKept: boolean): string[] =>
    some.filter((mark) => mark.isKept === isKept).map(({ reportedAs }) => reportedAs)
  const renamed = frames
    .flatMap(drawn)
    .flatMap(({ label, reportedAs }) => (label === reportedAs ? [] : [[label, reportedAs] as const]))
  const rounded = (frame: number): number => Math.round(1000 * secondsOf(frame)) / 1000
  return {
    ...(list.source && { source_file_id: list.source.file_id }),
    regions: list.regions.length,
    protect_regions: list.protect_regions.length,
    frames: frames.map((frame) => {
      const kept = idsOf(drawn(frame), true)
      return {
        seconds: rounded(frame.frame),
        ids: idsOf(drawn(frame), false),
        ...(kept.length > 0 && { protect_ids: kept }),
        ...(frame.undrawnCount > 0 && { more: frame.undrawnCount }),
      }
    }),
    ...(renamed.length > 0 && { drawn_as: Object.fromEntries(renamed) }),
    not_shown: {
      count: notShown.length,
      ids: notShown.slice(0, maxReportedIds).flatMap((index) => marks[index]?.reportedAs ?? []),
    },
    next_at: next.map(rounded),
  }
}
