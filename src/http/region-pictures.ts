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
import { limitPerAccount } from '../files/account-limit.ts'
import { accountHasContent, readFileText, type RemovedFile } from '../files/content.ts'
import { probeStoredFile } from '../files/probe.ts'
import { findOwnFile } from '../files/records.ts'
import { type FrameGrid, frameIndexesAt, videoFrameGrid, stillGrid } from '../media/clean/frame-grid.ts'
import {
  type PreviewFrame,
  type PreviewSelection as Chosen,
  selectPreviewFrames,
} from '../media/clean/preview-frames.ts'
import type { Service } from '../tasks/service.ts'

/** Request for a picture of a file's regions. */
interface RegionPictureRequest {
  readonly query: z.output<typeof regionsQuery>
  readonly accountId: number
  readonly signal: AbortSignal
}

/** Frames and labels of a picture of regions. */
interface RegionPicture {
  readonly description: ShownRegions
  readonly frames: readonly MarkedFrame[]
  /** Equal for equal pictures of the same file. */
  readonly name: string
}

/** Cached layouts of region pictures. */
interface RegionPictureCache {
  /**
   * Selects the frames of a picture of regions and the marks on each. Throws 6014 for a file without a picture and
   * for a list that is not text, 6016 for an invalid list or times outside the video, 6032 for too many requests.
   */
  get(row: FileRow, asked: RegionPictureRequest): Promise<RegionPicture>
  /** Drops cached data of a removed file. */
  forget(file: RemovedFile): void
}

/** Cache size: the picture and its description are requested separately. Each entry has a few hundred names. */
const maxCachedPictures = 32

/**
 * Creates the cache. Selects one picture at a time, in turn for each account, because a list can be tens of
 * megabytes. Keeps the latest pictures and the latest list.
 */
export function createRegionPictureCache(service: Service): RegionPictureCache {
  const oneAtATime = limitPerAccount({ limit: 1, name: 'pictures of regions' })
  let latest: { readonly name: string; readonly list: RegionsFile } | undefined
  const listOf = async (row: FileRow, signal: AbortSignal): Promise<RegionsFile> => {
    const name = `${row.account_id} ${row.blake3}`
    if (latest?.name === name) return latest.list
    // Frees the previous list before reading the next.
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
          hint: 'Use the JSON file returned by detection, edited or not.',
        })
      }
      checkRegionsSize({ name: `regions: ${listRow.name}`, size: listRow.size })
      const { facts } = await probeStoredFile(service, row, { signal })
      if (!facts?.video) {
        throw new MediaError(6014, `${row.name} has no video or image to draw regions on`, {
          hint: 'Use the video or image in which the regions were detected.',
        })
      }
      const grid = isStill(facts.container) ? stillGrid : videoFrameGrid(facts.video)
      const at = query.at && frameIndexesAt(query.at, grid, row.name)
      const at0 = at ? at.join() : ''
      const key = [accountId, row.blake3, row.ext, listRow.blake3, at0].join(' ')
      const select = async (): Promise<RegionPicture> => {
        signal.throwIfAborted()
        const known = kept.get(key)
        const name = `regions ${listRow.blake3} ${at0}`
        const picture = known ?? composeRegionPicture(await listOf(listRow, signal), grid, { at, name })
        if (known || ((await fileStillExists(service, row)) && (await fileStillExists(service, listRow))))
          keep(key, picture)
        return picture
      }
      return await oneAtATime(accountId, select, signal)
    },
    forget({ account_id, blake3 }) {
      if (latest?.name === `${account_id} ${blake3}`) latest = undefined
      for (const name of kept.keys()) {
        if (name.startsWith(`${account_id} `) && name.includes(` ${blake3} `)) kept.delete(name)
      }
    },
  }
}

/** Whether the file was not deleted meanwhile. */
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
