import * as z from 'zod'
import { agentField } from './agent-form.ts'
import { parseJsonText } from './bounded-json.ts'
import { MediaError } from './errors.ts'
import { id } from './fields.ts'
import {
  describeIssues,
  maxIssuesListed,
  omitNulls,
  plainIssueMessage,
  type SchemaIssue,
} from './validation.ts'

/**
 * Throws an error of text detection again. Where the model is missing (6401), the hint adds that regions need none.
 */
export function rethrowWithRegionsHint(error: unknown): never {
  if (!(error instanceof MediaError) || error.code !== 6401) throw error
  const { code, message, hint, retryable } = error
  const alternative = 'Or give the places yourself: purify_scope "region" with regions needs no model.'
  throw new MediaError(code, message, { cause: error, retryable, hint: `${hint} ${alternative}` })
}

/** Most regions in a list. */
export const maxRegions = 50_000

/** Most frames in one preview of regions; more would be too small to read. */
export const maxSheetFrames = 12

/** Tolerance for sums of decimal fractions, such as 0.7 + 0.3; far below a pixel. */
const slack = 1e-7

/** A fraction of the picture's width or height. A value above 2 is taken for pixels, with a message that says so. */
const share = (side: 'width' | 'height') =>
  z.number().max(1, {
    error: ({ input }) =>
      Number(input) > 2
        ? `${String(input)} given: boxes are fractions of the picture from 0 to 1, not pixels: divide by its ${side}`
        : undefined,
  })

const sides = {
  x: share('width').min(0).describe('Left edge, 0 to 1 of the width'),
  y: share('height').min(0).describe('Top edge, 0 to 1 of the height'),
  w: share('width').gt(0).describe('Width, x + w <= 1'),
  h: share('height').gt(0).describe('Height, y + h <= 1'),
}

/** Checks the fields of a region against each other: the rectangle, and the time range if there is one. */
function checkRegion(
  one: { x: number; y: number; w: number; h: number; start?: number | undefined; end?: number | undefined },
  context: z.RefinementCtx,
): void {
  // Without an object for each rule: a request may contain a hundred thousand regions.
  const refuse = (field: string, message: string): void => {
    const params = {
      fix: `Correct ${field}: coordinates are fractions of the picture, 0 to 1; times are seconds.`,
    }
    context.addIssue({ code: 'custom', path: [field], message, params })
  }
  if (!(one.x + one.w <= 1 + slack)) refuse('w', 'x + w must be at most 1')
  if (!(one.y + one.h <= 1 + slack)) refuse('h', 'y + h must be at most 1')
  if (!((one.start ?? 0) < (one.end ?? Infinity))) refuse('end', 'end must be after start')
}

/** A rectangle of the upright picture (contract 2, 2.1). */
export const area = agentField(z.object(sides).superRefine(checkRegion), { kind: 'box' })

/** A rectangle for a time range of the video (contract 2, 2.1). */
export const region = agentField(
  z
    .object({
      id: z.string().min(1).max(200).optional().describe('Unique in its list'),
      source: z.enum(['detected', 'manual']).optional().describe('Who found the region'),
      ...sides,
      start: z.number().min(0).optional().describe('s; default 0'),
      end: z.number().gt(0).optional().describe('s, excluded; default: end of the video'),
    })
    .superRefine(checkRegion),
  { kind: 'box' },
)

interface DuplicateId {
  readonly index: number
  readonly message: string
}

/** Finds regions of a list whose id an earlier region has. */
export function findDuplicateIds(regions: readonly { readonly id?: string | undefined }[]): DuplicateId[] {
  const ids = new Set<string>()
  const duplicates: DuplicateId[] = []
  for (const [index, { id: name }] of regions.entries()) {
    if (name === undefined) continue
    if (ids.has(name)) duplicates.push({ index, message: `${JSON.stringify(name)} is used twice` })
    ids.add(name)
  }
  return duplicates
}

/** Largest regions file, bytes; the same as for a request body. */
export const maxRegionsBytes = 32 * 2 ** 20

const listedRegion = region.safeExtend({ score: z.number().min(0).max(1).optional() })

/** As in requests, null fields count as absent. Only entries with a null are copied, as lists may be long. */
const listedRegionWithNulls = z.preprocess((entry) => {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
  return Object.values(entry).includes(null) ? omitNulls(entry) : entry
}, listedRegion)

/** Entries are counted before they are parsed, as a file may contain millions. */
const uncheckedRegions = z.array(z.unknown()).max(maxRegions)

/** A detection result (contract 2, 2.2) or a hand-written list, which need not name a video. */
const regionsFile = z.object({
  version: z.literal(1).nullish(),
  source: z.object({ file_id: id }).nullish(),
  regions: uncheckedRegions,
  // Our addition: regions that an agent who edits the list wants to protect.
  protect_regions: uncheckedRegions.nullish(),
})

/** A region of a regions file, to remove or to protect. */
export type ListedRegion = z.output<typeof listedRegion>

export interface RegionsFile extends Pick<z.output<typeof regionsFile>, 'version' | 'source'> {
  readonly regions: ListedRegion[]
  readonly protect_regions: ListedRegion[]
}

const exampleRegion = { id: 'logo', x: 0.8, y: 0.05, w: 0.15, h: 0.1 }

/** Example of a hand-written list: enough for a preview or, with the id of a video, for cleaning it. */
export function exampleRegionsFile(treated?: string): string {
  if (treated === undefined) return JSON.stringify({ regions: [exampleRegion] })
  const regions = [{ ...exampleRegion, source: 'manual', start: 0, end: 60 }]
  return JSON.stringify({ version: 1, source: { file_id: treated }, regions })
}

/** Throws 6016 for a regions file above the size limit. */
export function checkRegionsSize({ name, size }: { readonly name: string; readonly size: number }): void {
  if (size <= maxRegionsBytes) return
  throw new MediaError(6016, `${name} is larger than ${maxRegionsBytes / 2 ** 20} MiB`, {
    hint: 'Remove regions from the list that need no processing.',
  })
}

/** Parses a detection result, edited or not, or a hand-written list. Throws 6016 with the problem and an example. */
export function parseRegionsFile(name: string, text: string, example?: string): RegionsFile {
  return validateRegions(name, parseJsonText(text, name), example)
}

/** Validates the content of a regions file up to the first few issues. Throws 6016. */
export function validateRegions(name: string, given: unknown, example = exampleRegionsFile()): RegionsFile {
  const refuse = (issues: readonly SchemaIssue[], endedEarly = false) => {
    const issueList = describeIssues({ issues }, 'the file', regionPathFormatter(given))
    const rest = endedEarly ? '; the rest was not checked' : ''
    return new MediaError(6016, `${name} is not a valid list of regions: ${issueList}${rest}`, {
      hint: `Use the JSON file that detection returned, edited or not, or one such as ${example}.`,
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
  /** Whether some entries were not checked. */
  readonly endedEarly: boolean
}

/** Parses the regions of a list. Appends violations to `issues` and stops when there are enough to list. */
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

/** Formats paths of regions with their label in previews: `regions[2].x (#3)`. */
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

/** Longest id that is used as a label, characters. */
const maxLabelLength = 24

/** Ids that look like an index label, are blank, or contain control characters, line breaks or text direction marks. */
const unusableLabel = /^(keep)?#|^\s*$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

interface RegionPosition {
  readonly index: number
  readonly isKept: boolean
  /** Whether a region of the other list has the same id. */
  readonly isTaken?: boolean
}

/** Label of a region: its id if that is short, printable and unique, else its index: `#3`, `keep#1`. */
export function regionLabel(given: unknown, { index, isKept, isTaken = false }: RegionPosition): string {
  const isName =
    typeof given === 'string' && given.length <= maxLabelLength && !unusableLabel.test(given) && !isTaken
  return isName ? given : `${isKept ? 'keep' : ''}#${index + 1}`
}
