import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file.ts'
import type { regionsQuery, ShownRegions } from '../contract/file-routes.ts'
import { maxRegionsBytes, readRegions, type ListedRegion, type RegionsFile } from '../contract/regions.ts'
import type { FileRow } from '../db/schema.ts'
import { isStill } from '../engines/ffmpeg/facts.ts'
import { isDrawable } from '../engines/ffmpeg/lettering.ts'
import type { MarkedFrame } from '../engines/ffmpeg/region-sheet.ts'
import { giveFile } from '../files/probe.ts'
import { findFile } from '../files/records.ts'
import { endOf, rateOf } from '../media/clean/rate.ts'
import { showRegions, type ShownFrame } from '../media/clean/shown-regions.ts'
import type { Service } from '../tasks/service.ts'

/** What is asked of a file's regions, and by whom. */
interface Asked {
  readonly query: z.output<typeof regionsQuery>
  readonly accountId: number
  readonly signal: AbortSignal
}

/** What a picture of regions shows: as it is told, and as it is drawn. */
interface RegionPicture {
  readonly told: ShownRegions
  readonly frames: readonly MarkedFrame[]
  /** Equal for the same picture of the same file. */
  readonly name: string
}

/**
 * Chooses the frames of a picture of regions over a file, and what is drawn on each. Throws 6014 for a file without a
 * picture and a list that is no text, 6016 for one that is none or times that are not in the video.
 */
export async function pictureRegions(service: Service, row: FileRow, asked: Asked): Promise<RegionPicture> {
  const { query, accountId, signal } = asked
  const listRow = await findFile(service.db, { accountId, id: query.regions_file_id, now: service.clock() })
  const list = await readList(service, listRow)
  const { facts } = await giveFile(service, row, signal)
  const video = facts?.video
  if (!video) {
    throw new MediaError(6014, `${row.name} has no picture to draw regions over`, {
      hint: 'Give the video or image that they were found in.',
    })
  }
  const rate = isStill(facts.container) ? { num: 1, den: 1 } : rateOf(video)
  const seconds = isStill(facts.container) ? 1 : endOf(video)
  const count = Math.max(1, Math.floor((seconds * rate.num) / rate.den))
  const late = query.at?.find((time) => time >= seconds)
  if (late !== undefined) {
    throw new MediaError(6016, `at: ${late} is not before the end of ${row.name} (${seconds} s)`, {
      hint: `Give times below ${seconds}, or leave at out.`,
    })
  }
  const secondsOf = (frame: number): number => (frame * rate.den) / rate.num
  const marks = marksOf(list)
  const at = query.at?.map((time) => Math.min(count - 1, Math.floor((time * rate.num) / rate.den + 1e-6)))
  const shown = showRegions(marks, { rate, count, ...(at && { at }) })
  return {
    told: tell(list, marks, { ...shown, secondsOf }),
    // In the middle of its time rounding never shows a neighbour.
    frames: shown.frames.map(({ frame, drawn }) => ({
      beginsMs: 1000 * secondsOf(frame),
      showsMs: 1000 * secondsOf(frame + 0.5),
      marks: drawn.flatMap((place) => marks[place] ?? []),
    })),
    name: `regions ${listRow.blake3} ${query.at?.join() ?? ''}`,
  }
}

async function readList({ files }: Service, row: FileRow): Promise<RegionsFile> {
  if (kindOf(row.ext) !== 'text') {
    throw new MediaError(6014, `regions: ${row.name} is not text`, {
      hint: 'Give the JSON file that detection answered, edited or not.',
    })
  }
  if (row.size > maxRegionsBytes) {
    throw new MediaError(6016, `regions: ${row.name} is larger than ${maxRegionsBytes / 2 ** 20} MiB`, {
      hint: 'Leave regions out of the list that are not to be treated.',
    })
  }
  return readRegions(row.name, await files.lend(row, (path) => readFile(path, 'utf8')))
}

/** A region of either list, as it is drawn and as it is told. */
interface Marked extends ListedRegion {
  /** Stands for it in the picture. */
  readonly label: string
  readonly name: string
  readonly told: string
  readonly isKept: boolean
}

/** Longest id that is drawn, characters. */
const longestId = 24

/** Protections, of which there are few and which matter most, then removals: each with a name that can be drawn and stands for it alone. */
function marksOf({ regions, protect_regions }: RegionsFile): Marked[] {
  const mark =
    (isKept: boolean) =>
    (region: ListedRegion, index: number): Marked => {
      const number = `${isKept ? 'keep' : ''}#${index + 1}`
      const { id, score } = region
      const label = id !== undefined && id.length <= longestId && isDrawable(id) ? id : number
      const name = score === undefined ? label : `${label} ${score.toFixed(2)}`
      return { ...region, label, name, told: id ?? number, isKept }
    }
  return [...protect_regions.map(mark(true)), ...regions.map(mark(false))]
}

/** Most ids of regions that are not shown which are told: more are not read. */
const mostIds = 50

interface Shown extends ReturnType<typeof showRegions> {
  readonly secondsOf: (frame: number) => number
}

function tell(
  list: RegionsFile,
  marks: readonly Marked[],
  { frames, notShown, next, secondsOf }: Shown,
): ShownRegions {
  const drawn = (frame: ShownFrame): Marked[] => frame.drawn.flatMap((place) => marks[place] ?? [])
  const idsOf = (some: readonly Marked[], isKept: boolean): string[] =>
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
