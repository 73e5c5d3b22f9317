import * as z from 'zod'
import { MediaError } from './errors.ts'
import { id } from './id.ts'
import { describeIssues } from './issues.ts'
import { inPlainWords } from './plain-issues.ts'

/** Most regions of a list: more are a file's worth of mistakes. */
export const maxRegions = 50_000

/** Most bytes of a file of regions that are read: as many as a request may have. */
export const maxRegionsBytes = 32 * 2 ** 20

/** Most frames of one picture of regions: more are too small to read. */
export const mostFrames = 12

/** Sums of decimal fractions such as 0.7 + 0.3 may be a little more than 1; a thousandth of a pixel is not seen. */
const slack = 1e-7

const share = z.number().min(0).max(1)

const sides = {
  x: share.describe('Left edge, 0 to 1 of the width'),
  y: share.describe('Top edge, 0 to 1 of the height'),
  w: z.number().gt(0).max(1).describe('Width, x + w <= 1'),
  h: z.number().gt(0).max(1).describe('Height, y + h <= 1'),
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

const listed = region.safeExtend({ score: z.number().min(0).max(1).optional() })

/** Counted before each is looked at: a file may hold millions. */
const list = z
  .array(z.unknown())
  .max(maxRegions)
  .pipe(z.array(listed))
  .superRefine((regions, context) => {
    for (const index of repeatedIds(regions)) {
      const message = `${JSON.stringify(regions[index]?.id)} is there twice`
      context.addIssue({ code: 'custom', path: [index, 'id'], message })
    }
  })

/** A detection result (contract 2, 2.2), or a list by hand, which may be of no video. */
const regionsFile = z.object({
  version: z.literal(1).nullish(),
  source: z.object({ file_id: id }).nullish(),
  regions: list,
  // Ours: what an agent who edits the list wants to keep.
  protect_regions: list.nullish().transform((given) => given ?? []),
})

/** One region of a file, removed or protected. */
export type ListedRegion = z.output<typeof listed>
export type RegionsFile = z.output<typeof regionsFile>

/** Places in a list of the regions whose id one before them has. */
export function repeatedIds(regions: readonly { readonly id?: string | undefined }[]): number[] {
  const ids = new Set<string>()
  return regions.flatMap(({ id: name }, index) => {
    if (name === undefined) return []
    const isThere = ids.has(name)
    ids.add(name)
    return isThere ? [index] : []
  })
}

/** Throws 6016 for a file of regions that is larger than one is read. */
export function checkRegionsSize({ name, size }: { readonly name: string; readonly size: number }): void {
  if (size <= maxRegionsBytes) return
  throw new MediaError(6016, `${name} is larger than ${maxRegionsBytes / 2 ** 20} MiB`, {
    hint: 'Leave regions out of the list that are not to be treated.',
  })
}

/** Reads a detection result, edited or not, or a list made by hand. Throws 6016, naming what is wrong. */
export function readRegions(name: string, text: string): RegionsFile {
  const read = regionsFile.safeParse(readJson(name, text), { error: inPlainWords })
  if (read.success) return read.data
  throw new MediaError(6016, `${name} is no list of regions: ${describeIssues(read.error, 'the file')}`, {
    hint: 'Give the JSON file that detection answered, edited or not, or {"regions": [{"id", "x", "y", "w", "h"}]}.',
  })
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new MediaError(6016, `${name} is no JSON: ${why}`, {
      cause,
      hint: 'Correct it there, and give it again.',
    })
  }
}
