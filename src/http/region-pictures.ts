import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file-kind.ts'
import type { regionsQuery, ShownRegions } from '../contract/file-routes.ts'
import {
  checkRegionsSize,
  type ListedRegion,
  parseRegionsFile,
  regionLabel,
  type RegionsFile,
} from '../contract/regions.ts'
import type { FileRow } from '../db/schema.ts'
import { isStill } from '../engines/ffmpeg/facts.ts'
import { isDrawable } from '../engines/ffmpeg/lettering.ts'
import type { MarkedFrame } from '../engines/ffmpeg/region-sheet.ts'
import { accountHasContent, readFileText, type RemovedFile } from '../files/content.ts'
import { probeStoredFile } from '../files/probe.ts'
import { findOwnFile } from '../files/records.ts'
import { type FrameGrid, frameIndexesAt, videoFrameGrid, stillGrid } from '../media/clean/frame-grid.ts'
import {
  type PreviewFrame,
  type PreviewSelection as Chosen,
  selectPreviewFrames,
} from '../media/clean/preview-frames.ts'
import { limitConcurrency } from '../platform/concurrency.ts'
import type { Service } from '../tasks/service.ts'

/** What is asked of a file's regions, and by whom. */
interface RegionPictureRequest {
  readonly query: z.output<typeof regionsQuery>
  readonly accountId: number
  readonly signal: AbortSignal
}

/** What a picture of regions shows: as it is told, and as it is drawn. */
interface RegionPicture {
  readonly description: ShownRegions
  readonly frames: readonly MarkedFrame[]
  /** Equal for the same picture of the same file. */
  readonly name: string
}

/** Pictures of regions over files. */
interface RegionPictureCache {
  /**
   * Chooses the frames of a picture of regions over a file, and what is drawn on each. Throws 6014 for a file without
   * a picture and a list that is no text, 6016 for one that is none or times that are not in the video.
   */
  get(row: FileRow, asked: RegionPictureRequest): Promise<RegionPicture>
  /** Drops what is kept of a file that is gone. */
  forget(file: RemovedFile): void
}

/** Most choices that are kept: what a picture shows is asked for apart from the picture. A few hundred names each. */
const maxCachedPictures = 32

/** Chooses pictures one after another: a list may be tens of megabytes. What was chosen last is kept, and the latest list. */
export function createRegionPictureCache(service: Service): RegionPictureCache {
  const inTurn = limitConcurrency(1)
  let latest: { readonly name: string; readonly list: RegionsFile } | undefined
  const listOf = async (row: FileRow, signal: AbortSignal): Promise<RegionsFile> => {
    const name = `${row.account_id} ${row.blake3}`
    if (latest?.name === name) return latest.list
    // Not both at once.
    latest = undefined
    const list = parseRegionsFile(row.name, await readFileText(service.files, row, signal))
    if (await fileStillExists(service, row)) latest = { name, list }
    return list
  }
  const kept = new Map<string, RegionPicture>()
  const keep = (name: string, picture: RegionPicture) => {
    kept.delete(name)
    kept.set(name, picture)
    for (const oldest of kept.keys()) if (kept.size > maxCachedPictures) kept.delete(oldest)
  }
  return {
    async get(row, { query, accountId, signal }) {
      const listRow = await findOwnFile(service.db, {
        accountId,
        id: query.regions_file_id,
        now: service.clock(),
      })
      if (kindOf(listRow.ext) !== 'text') {
        throw new MediaError(6014, `regions: ${listRow.name} is not text`, {
          hint: 'Give the JSON file that detection answered, edited or not.',
        })
      }
      checkRegionsSize({ name: `regions: ${listRow.name}`, size: listRow.size })
      const { facts } = await probeStoredFile(service, row, { signal })
      if (!facts?.video) {
        throw new MediaError(6014, `${row.name} has no picture to draw regions over`, {
          hint: 'Give the video or image that they were found in.',
        })
      }
      const grid = isStill(facts.container) ? stillGrid : videoFrameGrid(facts.video)
      const at = query.at && frameIndexesAt(query.at, grid, row.name)
      const at0 = at ? at.join() : ''
      const key = [accountId, row.blake3, row.ext, listRow.blake3, at0].join(' ')
      return await inTurn(async () => {
        signal.throwIfAborted()
        const known = kept.get(key)
        const name = `regions ${listRow.blake3} ${at0}`
        const picture = known ?? composeRegionPicture(await listOf(listRow, signal), grid, { at, name })
        if (known || ((await fileStillExists(service, row)) && (await fileStillExists(service, listRow))))
          keep(key, picture)
        return picture
      })
    },
    forget({ account_id, blake3 }) {
      if (latest?.name === `${account_id} ${blake3}`) latest = undefined
      for (const name of kept.keys()) {
        if (name.startsWith(`${account_id} `) && name.includes(` ${blake3} `)) kept.delete(name)
      }
    },
  }
}

/** Whether a file was not deleted while it was read. */
async function fileStillExists(
  { db }: Service,
  { account_id: accountId, blake3 }: FileRow,
): Promise<boolean> {
  return await accountHasContent(db, { accountId, blake3 })
}

function composeRegionPicture(
  list: RegionsFile,
  { rate, count, first, startMs }: FrameGrid,
  { at, name }: { readonly at: readonly number[] | undefined; readonly name: string },
): RegionPicture {
  const marks = createRegionMarks(list)
  const shown = selectPreviewFrames(marks, { rate, count, at })
  const msOf = (frame: number): number => (1000 * frame * rate.den) / rate.num
  return {
    name,
    description: describeShownRegions(list, marks, { ...shown, secondsOf: (frame) => msOf(frame) / 1000 }),
    // In the middle of its time rounding never shows a neighbour.
    frames: shown.frames.map(({ frame, drawn }) => ({
      beginsMs: msOf(frame),
      showsMs: startMs + msOf(Math.max(0, frame - first) + 0.5),
      marks: drawn.flatMap((place) => marks[place] ?? []),
    })),
  }
}

/** A region of either list, as it is drawn and as it is told. */
interface RegionMark extends ListedRegion {
  /** Stands for it alone in the picture. */
  readonly label: string
  /** The label, with its score. */
  readonly name: string
  /** Its id where that is short, else its label. */
  readonly reportedAs: string
  readonly isKept: boolean
}

/** Longest name that is drawn, so that it has room on the narrowest frames, characters. */
const maxDrawnLabel = 16

/** Protections, of which there are few and which matter most, then removals. */
function createRegionMarks({ regions, protect_regions }: RegionsFile): RegionMark[] {
  const removed = new Set(regions.map(({ id }) => id))
  const mark =
    (isKept: boolean) =>
    (region: ListedRegion, index: number): RegionMark => {
      const { id, score } = region
      const number = regionLabel(undefined, { index, isKept })
      const told = regionLabel(id, { index, isKept, isTaken: isKept && removed.has(id) })
      const label = isDrawable(told) && told.length <= maxDrawnLabel ? told : number
      const name = score === undefined ? label : `${label} ${score.toFixed(2)}`
      return { ...region, label, name, reportedAs: told, isKept }
    }
  return [...protect_regions.map(mark(true)), ...regions.map(mark(false))]
}

/** Most of those that are not shown which are told: more are not read. */
const maxReportedIds = 50

/** Which frames were chosen for marks, and when these are. */
interface SelectedFrames extends Chosen {
  readonly secondsOf: (frame: number) => number
}

/** What a picture of regions shows, in words. */
function describeShownRegions(
  list: RegionsFile,
  marks: readonly RegionMark[],
  { frames, notShown, next, secondsOf }: SelectedFrames,
): ShownRegions {
  const drawn = (frame: PreviewFrame): RegionMark[] => frame.drawn.flatMap((place) => marks[place] ?? [])
  const idsOf = (some: readonly RegionMark[], isKept: boolean): string[] =>
    some.filter((mark) => mark.isKept === isKept).map(({ reportedAs: told }) => told)
  const renamed = frames
    .flatMap(drawn)
    .flatMap(({ label, reportedAs: told }) => (label === told ? [] : [[label, told] as const]))
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
      ids: notShown.slice(0, maxReportedIds).flatMap((place) => marks[place]?.reportedAs ?? []),
    },
    next_at: next.map(rounded),
  }
}
