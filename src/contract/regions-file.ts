import * as z from 'zod'
import { MediaError } from './errors.ts'
import { id } from './id.ts'
import { describeIssues, maxIssuesListed, omitNulls, type SchemaIssue } from './issues.ts'
import { plainIssueMessage } from './plain-issues.ts'
import { regionPathFormatter } from './region-names.ts'
import { maxRegions, region, findDuplicateIds } from './regions.ts'

/** Most bytes of a file of regions that are read: as many as a request may have. */
export const maxRegionsBytes = 32 * 2 ** 20

const listedRegion = region.safeExtend({ score: z.number().min(0).max(1).optional() })

/** As of a request, what holds null is left out; few entries hold one, and copies take time. */
const listedRegionWithNulls = z.preprocess((entry) => {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
  return Object.values(entry).includes(null) ? omitNulls(entry) : entry
}, listedRegion)

/** Counted before each is looked at: a file may hold millions. */
const uncheckedRegions = z.array(z.unknown()).max(maxRegions)

/** A detection result (contract 2, 2.2), or a list by hand, which may be of no video. */
const regionsFile = z.object({
  version: z.literal(1).nullish(),
  source: z.object({ file_id: id }).nullish(),
  regions: uncheckedRegions,
  // Ours: what an agent who edits the list wants to keep.
  protect_regions: uncheckedRegions.nullish(),
})

/** One region of a file, removed or protected. */
export type ListedRegion = z.output<typeof listedRegion>

export interface RegionsFile extends Pick<z.output<typeof regionsFile>, 'version' | 'source'> {
  readonly regions: ListedRegion[]
  readonly protect_regions: ListedRegion[]
}

const exampleRegion = { id: 'logo', x: 0.8, y: 0.05, w: 0.15, h: 0.1 }

/** A list by hand: all that it needs to be drawn or, with the id of its video, to clean that by it. */
export function exampleRegionsFile(treated?: string): string {
  if (treated === undefined) return JSON.stringify({ regions: [exampleRegion] })
  const regions = [{ ...exampleRegion, source: 'manual', start: 0, end: 60 }]
  return JSON.stringify({ version: 1, source: { file_id: treated }, regions })
}

/** Throws 6016 for a file of regions that is larger than one is read. */
export function checkRegionsSize({ name, size }: { readonly name: string; readonly size: number }): void {
  if (size <= maxRegionsBytes) return
  throw new MediaError(6016, `${name} is larger than ${maxRegionsBytes / 2 ** 20} MiB`, {
    hint: 'Leave regions out of the list that are not to be treated.',
  })
}

/** Reads a detection result, edited or not, or a list by hand. Throws 6016, naming what is wrong and the form. */
export function parseRegionsFile(name: string, text: string, example?: string): RegionsFile {
  return validateRegions(name, parseRegionsJson(name, text), example)
}

/** Checks what a file of regions holds, to the first few issues. Throws 6016, as `parseRegionsFile` does. */
export function validateRegions(name: string, given: unknown, example = exampleRegionsFile()): RegionsFile {
  const refuse = (issues: readonly SchemaIssue[], endedEarly = false) => {
    const told = describeIssues({ issues }, 'the file', regionPathFormatter(given))
    const rest = endedEarly ? '; what follows was not looked at' : ''
    return new MediaError(6016, `${name} is no list of regions: ${told}${rest}`, {
      hint: `Give the JSON file that detection answered, edited or not, or one such as ${example}.`,
    })
  }
  const read = regionsFile.safeParse(given, { error: plainIssueMessage })
  if (!read.success) throw refuse(read.error.issues)
  const issues: SchemaIssue[] = []
  const removed = checkList(read.data.regions, 'regions', issues)
  const kept = checkList(read.data.protect_regions ?? [], 'protect_regions', issues)
  if (issues.length > 0) throw refuse(issues, removed.endedEarly || kept.endedEarly)
  return { ...read.data, regions: removed.regions, protect_regions: kept.regions }
}

interface CheckedList {
  readonly regions: ListedRegion[]
  /** Whether entries were not looked at. */
  readonly endedEarly: boolean
}

/** The regions of a list. Adds what is wrong, and ends where that is as much as is told. */
function checkList(given: readonly unknown[], name: string, issues: SchemaIssue[]): CheckedList {
  const regions: ListedRegion[] = []
  for (const [index, entry] of given.entries()) {
    if (issues.length >= maxIssuesListed) return { regions, endedEarly: true }
    const { data, error } = listedRegionWithNulls.safeParse(entry, { error: plainIssueMessage })
    if (data) regions.push(data)
    for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [name, index, ...issue.path] })
  }
  if (issues.length > 0) return { regions, endedEarly: false }
  for (const { index, message } of findDuplicateIds(regions)) {
    issues.push({ code: 'custom', path: [name, index, 'id'], message })
  }
  return { regions, endedEarly: false }
}

function parseRegionsJson(name: string, text: string): unknown {
  try {
    // Editors of some systems begin a text with a mark of its byte order.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new MediaError(6016, `${name} is no JSON: ${why}`, {
      cause,
      hint: 'Correct it there, and give it again.',
    })
  }
}
