import * as z from 'zod'
import { pageOf, paging } from './paging.ts'

/** Shapes of a result, width to height. */
export const outputRatios = ['9:16', '16:9', '1:1'] as const
export type OutputRatio = (typeof outputRatios)[number]

/** Query of the layout catalogue. */
export const layoutsQuery = z.object({
  slot_count: z.coerce.number<number>().int().min(2).max(16).optional().describe('One slot for each clip'),
  ratio: z
    .enum(outputRatios)
    .optional()
    .describe('Only the layouts offered for results of this shape, drawn in it; left out, all, drawn square'),
  ...paging,
})

const layoutShare = z.number().min(0).max(1)

/** A way to place a number of clips. */
export const layoutEntry = z.object({
  layout_id: z.int().describe('Means the same for ever'),
  slot_count: z.int(),
  equivalence_key: z.string().describe('Equal where the slots have the same sizes in other places'),
  ratios: z.array(z.enum(outputRatios)).describe('Shapes of a result for which it may be chosen by itself'),
  slots: z
    .array(z.object({ x: layoutShare, y: layoutShare, width: layoutShare, height: layoutShare }))
    .describe("Each clip's slot as shares of the result, without gaps"),
  svg: z.string().describe('Sketch with the slots numbered by clip from 1'),
})
export type LayoutEntry = z.infer<typeof layoutEntry>

export const layoutPage = pageOf(layoutEntry)
