import type { ShownRegions } from '../contract/file-routes.ts'
import { type ListedRegion, regionLabel, type RegionsFile } from '../contract/regions.ts'
import { isDrawable } from '../engines/ffmpeg/lettering.ts'
import type { ShownFrame, ShownRegions as Chosen } from '../media/clean/shown-regions.ts'

/** A region of either list, as it is drawn and as it is told. */
export interface RegionMark extends ListedRegion {
  /** Stands for it alone in the picture. */
  readonly label: string
  /** The label, with its score. */
  readonly name: string
  /** Its id where that is short, else its label. */
  readonly told: string
  readonly isKept: boolean
}

/** Longest name that is drawn, so that it has room on the narrowest frames, characters. */
const longestDrawn = 16

/** Protections, of which there are few and which matter most, then removals. */
export function marksOf({ regions, protect_regions }: RegionsFile): RegionMark[] {
  const removed = new Set(regions.map(({ id }) => id))
  const mark =
    (isKept: boolean) =>
    (region: ListedRegion, index: number): RegionMark => {
      const { id, score } = region
      const number = regionLabel(undefined, { index, isKept })
      const told = regionLabel(id, { index, isKept, isTaken: isKept && removed.has(id) })
      const label = isDrawable(told) && told.length <= longestDrawn ? told : number
      const name = score === undefined ? label : `${label} ${score.toFixed(2)}`
      return { ...region, label, name, told, isKept }
    }
  return [...protect_regions.map(mark(true)), ...regions.map(mark(false))]
}

/** Most of those that are not shown which are told: more are not read. */
const mostIds = 50

/** Which frames were chosen for marks, and when these are. */
interface Shown extends Chosen {
  readonly secondsOf: (frame: number) => number
}

/** What a picture of regions shows, in words. */
export function toShownRegions(
  list: RegionsFile,
  marks: readonly RegionMark[],
  { frames, notShown, next, secondsOf }: Shown,
): ShownRegions {
  const drawn = (frame: ShownFrame): RegionMark[] => frame.drawn.flatMap((place) => marks[place] ?? [])
  const idsOf = (some: readonly RegionMark[], isKept: boolean): string[] =>
    some.filter((mark) => mark.isKept === isKept).map(({ told }) => told)
  const renamed = frames
    .flatMap(drawn)
    .flatMap(({ label, told }) => (label === told ? [] : [[label, told] as const]))
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
        ...(frame.others > 0 && { more: frame.others }),
      }
    }),
    ...(renamed.length > 0 && { drawn_as: Object.fromEntries(renamed) }),
    not_shown: {
      count: notShown.length,
      ids: notShown.slice(0, mostIds).flatMap((place) => marks[place]?.told ?? []),
    },
    next_at: next.map(rounded),
  }
}
