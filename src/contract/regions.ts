import * as z from 'zod'

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
