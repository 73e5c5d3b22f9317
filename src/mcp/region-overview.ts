import { downloadSmallFile } from '../client/preview.ts'
import type { TaskView } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { type ListedRegion, parseRegionsFile, type RegionsFile } from '../contract/regions.ts'
import { routes } from '../contract/routes.ts'
import type { Session } from './session.ts'

/** Most regions in a result: a model reads them all. */
const maxRegionsShown = 20

/** Largest list that is read for a result, bytes. */
const maxOverviewBytes = 4 * 2 ** 20

/** The first regions of a detection, by start. */
export interface RegionOverview {
  readonly total: number
  readonly shown: readonly RegionRow[]
  /** Where to find the others. */
  readonly note?: string
}

/** A detected region. Detection locates text but does not read it. */
interface RegionRow {
  readonly id: string
  /** Part of the picture, such as "bottom centre". */
  readonly where: string
  /** Left, top, width and height, shares of the picture, 0 to 1. */
  readonly box: readonly [number, number, number, number]
  /** Seconds, the end excluded. */
  readonly start?: number
  readonly end?: number
  readonly score?: number
}

/** Describes the regions of a list, at most 20. */
export function describeRegionList({ regions }: Pick<RegionsFile, 'regions'>): RegionOverview {
  const ordered = regions.toSorted((one, other) => (one.start ?? 0) - (other.start ?? 0))
  const shown = ordered.slice(0, maxRegionsShown).map(regionRow)
  const hidden = regions.length - shown.length
  return {
    total: regions.length,
    shown,
    ...(hidden > 0 && {
      note: `${hidden} more are in the list file; inspect_file with the video and regions shows them.`,
    }),
  }
}

function regionRow({ id = '', x, y, w, h, start, end, score }: ListedRegion): RegionRow {
  const rounded = (value: number): number => Math.round(value * 1000) / 1000
  return {
    id,
    where: regionPosition({ x: x + w / 2, y: y + h / 2 }),
    box: [rounded(x), rounded(y), rounded(w), rounded(h)],
    ...(start !== undefined && { start: rounded(start) }),
    ...(end !== undefined && { end: rounded(end) }),
    ...(score !== undefined && { score: Math.round(score * 100) / 100 }),
  }
}

/** Names the ninth of the picture that contains a point. x, y: 0 to 1. */
function regionPosition({ x, y }: { readonly x: number; readonly y: number }): string {
  const third = (share: number): 0 | 1 | 2 => (share < 1 / 3 ? 0 : share < 2 / 3 ? 1 : 2)
  const row = (['top', 'middle', 'bottom'] as const)[third(y)]
  const column = (['left', 'centre', 'right'] as const)[third(x)]
  return row === 'middle' && column === 'centre' ? 'centre' : `${row} ${column}`
}

/**
 * Reads the regions of a completed detection, whose output names the list as `regions_file_id`. Returns undefined for
 * other tasks, and if the list cannot be read in time: the result itself is complete without it.
 */
export async function fetchRegionOverview(
  { client }: Pick<Session, 'client'>,
  { status, output_result }: TaskView,
  signal: AbortSignal,
): Promise<RegionOverview | undefined> {
  const file_id = output_result?.['regions_file_id']
  if (status !== 'completed' || typeof file_id !== 'string' || file_id === '') return undefined
  try {
    const details = await client.call(routes.fileDetails, { params: { file_id }, signal })
    if (details.size > maxOverviewBytes) return undefined
    const bytes = await downloadSmallFile(client, details, { maxBytes: maxOverviewBytes, signal })
    return describeRegionList(parseRegionsFile(details.original_name, bytes.toString('utf8')))
  } catch (error) {
    if (signal.aborted || error instanceof MediaError) return undefined
    throw error
  }
}
