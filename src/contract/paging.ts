import * as z from 'zod'

export const defaultPageSize = 20
export const maxPageSize = 100

/** Query of a list that is answered by pages. */
export const paging = {
  page: z.coerce.number<number>().int().min(1).max(1_000_000).default(1).describe('From 1'),
  page_size: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(maxPageSize)
    .default(defaultPageSize)
    .describe('Items a page'),
}

/** One page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    list: z.array(item),
    total: z.int().describe('Items on all pages'),
    page: z.int(),
    page_size: z.int(),
  })
}
