import * as z from 'zod'
import { MediaError } from './errors.ts'
import { id } from './fields.ts'
import {
  describeIssues,
  maxIssuesListed,
  omitNulls,
  plainIssueMessage,
  type SchemaIssue,
} from './validation.ts'

/** Most regions of a list: more are a file's worth of mistakes. */
export const maxRegions = 50_000

/** Most frames of one picture of regions: more are too small to read. */
export const maxSheetFrames = 12

/** Sums of decimal fractions such as 0.7 + 0.3 may be a little more than 1; a thousandth of a pixel is not seen. */
const slack = 1e-7

/** A share of the picture's width or height. Of what is no more than twice that, nobody meant pixels. */
const share = (side: 'width' | 'height') =>
  z.number().max(1, {
    error: ({ input }) =>
      Number(input) > 2
        ? `${String(input)} given: boxes are shares of the picture from 0 to 1, not pixels: divide by its ${side}`
        : undefined,
  })

const sides = {
  x: share('width').min(0).describe('Left edge, 0 to 1 of the width'),
  y: share('height').min(0).describe('Top edge, 0 to 1 of the height'),
  w: share('width').gt(0).describe('Width, x + w <= 1'),
  h: share('height').gt(0).describe('Height, y + h <= 1'),
}

/** Rules between the fields of an area, and of a time where it has one. */
function checkRegion(
  one: { x: number; y: number; w: number; h: number; start?: number | undefined; end?: number | undefined },
  context: z.RefinementCtx,
): void {
  const rules = [
    { field: 'w', holds: one.x + one.w <= 1 + slack, message: 'x + w must be at most 1' },
    { field: 'h', holds: one.y + one.h <= 1 + slack, message: 'y + h must be at most 1' },
    { field: 'end', holds: (one.start ?? 0) < (one.end ?? Infinity), message: 'end must be after start' },
  ]
  for (const { field, holds, message } of rules) {
    const params = { fix: `Correct ${field}: coordinates are shares of the picture, 0 to 1, times seconds.` }
    if (!holds) context.addIssue({ code: 'custom', path: [field], message, params })
  }
}

/** A rectangle of the upright picture (contract 2, 2.1). */
export const area = z.object(sides).superRefine(checkRegion)

/** A rectangle over a time of the video (contract 2, 2.1). */
export const region = z
  .object({
    id: z.string().min(1).max(200).optional().describe('Needed with phase purify; unique in its list'),
    source: z.enum(['detected', 'manual']).optional().describe('Needed with phase purify'),
    ...sides,
    start: z.number().min(0).optional().describe('From then on, s; needed with phase purify, else 0'),
    end: z
      .number()
      .gt(0)
      .optional()
      .describe('Until then, s; needed with phase purify, else the end of the video'),
  })
  .superRefine(checkRegion)

interface DuplicateId {
  readonly index: number
  readonly message: string
}

/** Which regions of a list have an id that one before them has. */
export function findDuplicateIds(regions: readonly { readonly id?: string | undefined }[]): DuplicateId[] {
  const ids = new Set<string>()
  return regions.flatMap(({ id: name }, index) => {
    if (name === undefined) return []
    const isThere = ids.has(name)
    ids.add(name)
    return isThere ? [{ index, message: `${JSON.stringify(name)} is there twice` }] : []
  })
}

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

/** How a place in a list is told: by its index, and by what pictures call the region. */
export function regionPathFormatter(given: unknown): (path: readonly PropertyKey[]) => string {
  return (path) => {
    const place = z.core.toDotPath(path)
    const [holder, index] = path
    if (typeof index !== 'number') return place
    const isKept = holder === 'protect_regions'
    const name = regionId(property(property(given, holder), index))
    return `${place} (${regionLabel(name, { index, isKept, isTaken: isKept && isRemoved(given, name) })})`
  }
}

function isRemoved(given: unknown, name: unknown): boolean {
  const regions = property(given, 'regions')
  return Array.isArray(regions) && regions.some((one) => regionId(one) === name)
}

function regionId(entry: unknown): unknown {
  return property(entry, 'id')
}

function property(holder: unknown, key: PropertyKey | undefined): unknown {
  if (typeof holder !== 'object' || holder === null || key === undefined) return undefined
  return (holder as Record<PropertyKey, unknown>)[key]
}

/** Longest id that is told, characters. */
const maxLabelLength = 24

/** What looks like the number of a region, and what breaks lines, is not seen or turns the direction of text. */
const unusableLabel = /^(keep)?#|^\s*$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

interface RegionPosition {
  readonly index: number
  readonly isKept: boolean
  /** Whether another region has the same id: each list has ids of its own. */
  readonly isTaken?: boolean
}

/** What a region is called: its id where that is short and plain and no other's, else its number in its list. */
export function regionLabel(given: unknown, { index, isKept, isTaken = false }: RegionPosition): string {
  const isName =
    typeof given === 'string' && given.length <= maxLabelLength && !unusableLabel.test(given) && !isTaken
  return isName ? given : `${isKept ? 'keep' : ''}#${index + 1}`
}
