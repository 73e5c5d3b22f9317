import * as z from 'zod'
import { id } from './id.ts'
import { pageOf, paging } from './paging.ts'
import { timestamp } from './time.ts'

/** Query of the ledger. */
export const ledgerQuery = z.object({
  task_id: id.optional().describe('Only the entries of this task'),
  ...paging,
})
export type LedgerQuery = z.infer<typeof ledgerQuery>

const ledgerEntry = z.object({
  id,
  kind: z
    .enum(['grant', 'hold', 'refund'])
    .describe('Given to the account; taken for a task at its creation; given back with its failure or end'),
  amount: z.int().describe('Credits; negative where they were taken'),
  task_id: id.nullable().describe('Null for a grant'),
  create_time: timestamp,
})

export const ledgerPage = pageOf(ledgerEntry)
export type LedgerPage = z.infer<typeof ledgerPage>
