import * as z from 'zod'
import { id, pageOf, paging, timestamp } from './fields.ts'
import { priority, taskState } from './task.ts'

/** What the service can do and what each part costs. */
export const capabilities = z.object({
  protocol_version: z.literal(2),
  version: z.string(),
  operations: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      ready: z.boolean(),
      missing: z
        .string()
        .nullable()
        .describe('Why it is not ready and the one command or setting that enables it'),
      price: z.string(),
    }),
  ),
  packs: z
    .array(
      z.object({
        name: z.string(),
        title: z.string(),
        state: z
          .enum(['ready', 'automatic', 'missing', 'optional'])
          .describe('automatic comes by itself at first use, optional when it is asked for'),
        missing: z
          .string()
          .nullable()
          .describe('Why it is not ready and the one command or setting that brings it'),
      }),
    )
    .optional()
    .describe('Models and engines that operations use; left out by services that have none'),
  services: z
    .array(
      z.object({
        name: z.string(),
        title: z.string(),
        set: z.boolean(),
        model: z.string().nullable().describe('Where one is named'),
        missing: z.string().nullable().describe('The one setting that brings it, where it is not set'),
      }),
    )
    .optional()
    .describe('Services of others that operations may use; whether they answer is told by reelwright doctor'),
  limits: z.object({
    max_file_bytes: z.int(),
    part_bytes: z.int().describe('Size of every part but the last of a chunked upload'),
    upload_session_hours: z.int().describe('Life of an upload session after its latest activity'),
    max_body_bytes: z.int().describe('Of a JSON body'),
    retention_days: z.int(),
    page_size: z.int().describe('Items a page where a list is not asked for more or fewer'),
    max_page_size: z.int(),
  }),
  credits: z.object({
    balance: z.int().describe('Of the account'),
    unlimited: z
      .literal(true)
      .optional()
      .describe('Only where they never run out, as on the account of the machine itself'),
    quota: z
      .object({
        limit: z.int().describe('Credits that tasks of this key may cost in all'),
        spent: z.int().describe('Credits they cost so far'),
      })
      .optional()
      .describe('Only where the key has one'),
  }),
  storage: z
    .object({
      used_bytes: z.int().describe("Of the account's files and uploads under way"),
      quota_bytes: z.int().optional().describe('Bytes they may take; only where there is a bound'),
    })
    .optional()
    .describe('Left out by services that do not count it'),
  tasks: z.object({ queued: z.int(), processing: z.int() }),
})
export type Capabilities = z.infer<typeof capabilities>

/** Values of enumerated fields by their place: `clips[].fit_mode`. */
const enumerations = z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()])))
export type Enumerations = z.infer<typeof enumerations>

/** Every enumeration of the interface (contract 1, section 9: the authority where a document differs). */
export const enums = z.object({
  operations: z
    .record(z.string(), z.object({ input: enumerations, output: enumerations }))
    .describe('Fields of each task type'),
  endpoints: z
    .record(z.string(), z.object({ query: enumerations, body: enumerations, data: enumerations }))
    .describe('Fields of the other endpoints, by method and path'),
  task_states: z.array(taskState),
  terminal_task_states: z.array(taskState),
  priorities: z.array(priority),
  extensions: z.record(z.string(), z.array(z.string())).describe('Of files the service takes, by kind'),
  errors: z.array(
    z.object({
      code: z.int(),
      status: z.int().describe('HTTP status'),
      meaning: z.string(),
      retryable: z.boolean().describe('Whether the same call may succeed later without a change'),
      hint: z.string(),
    }),
  ),
})
export type Enums = z.infer<typeof enums>

/** A voice that speaks; `clone` stands for the speaker of the source and is no voice's id. */
export const voice = z.object({
  voice_id: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'at most 64 letters, digits, _ and -')
    .refine((id) => id !== 'clone', 'clone is not a voice'),
  name: z.string().min(1).describe('For people'),
  languages: z
    .array(z.string().regex(/^[a-z]{2,3}-[A-Z]{2,3}$/, 'a language is written like en-US'))
    .min(1)
    .describe('Target languages registered for the voice'),
})
export type Voice = z.infer<typeof voice>

export const voices = z.object({ list: z.array(voice) })

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
const layoutEntry = z.object({
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
