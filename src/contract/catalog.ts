import * as z from 'zod'
import { id, pageOf, paging, timestamp } from './fields.ts'
import { priority, taskState } from './task.ts'

/** State, limits and prices of the service. */
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
        .describe('Why it is not ready, and the command or setting that enables it'),
      first_download: z
        .object({ packs: z.array(z.string()), bytes: z.int() })
        .optional()
        .describe('Packs that its first use downloads; absent if it needs none'),
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
          .describe('automatic: downloaded on first use; optional: installed on request'),
        missing: z
          .string()
          .nullable()
          .describe('Why it is not ready, and the command or setting that provides it'),
      }),
    )
    .optional()
    .describe('Models and engines that operations use; absent from services without them'),
  services: z
    .array(
      z.object({
        name: z.string(),
        title: z.string(),
        set: z.boolean(),
        model: z.string().nullable().describe('Null where none is configured'),
        missing: z.string().nullable().describe('The setting that provides it; null where it is set'),
      }),
    )
    .optional()
    .describe('External services that operations may use; reelwright doctor checks whether they respond'),
  limits: z.object({
    max_file_bytes: z.int(),
    part_bytes: z.int().describe('Size of each part of a chunked upload but the last'),
    upload_session_hours: z.int().describe('Lifetime of an upload session after its last activity'),
    max_body_bytes: z.int().describe('Of a JSON body'),
    retention_days: z.int(),
    page_size: z.int().describe('Default number of items per page of a list'),
    max_page_size: z.int(),
  }),
  credits: z.object({
    balance: z.int().describe('Of the account'),
    unlimited: z
      .literal(true)
      .optional()
      .describe('Only for accounts without a limit, such as the local one'),
    quota: z
      .object({
        limit: z.int().describe('Credits that tasks of this key may cost in total'),
        spent: z.int().describe('Credits spent so far'),
      })
      .optional()
      .describe('Only where the key has a quota'),
  }),
  storage: z
    .object({
      used_bytes: z.int().describe("Of the account's files and unfinished uploads"),
      quota_bytes: z.int().optional().describe('Limit for the account; absent without one'),
    })
    .optional()
    .describe('Absent from services that do not measure it'),
  tasks: z.object({ queued: z.int(), processing: z.int() }),
  library: z
    .object({
      clip: z.int(),
      image: z.int(),
      audio: z.int(),
      words_only: z.boolean().describe('Whether no material has a vector, so that only words find materials'),
      missing: z.string().nullable().describe('What the library is missing, and the command that adds it'),
    })
    .optional()
    .describe('Materials that searches find, by scope; absent from services without a library'),
})
export type Capabilities = z.infer<typeof capabilities>

/** Values of enumerated fields by their path, such as `clips[].fit_mode`. */
const enumerations = z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()])))
export type Enumerations = z.infer<typeof enumerations>

/** All enumerations of the API (contract 1, section 9; they take precedence over the documents). */
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
  extensions: z.record(z.string(), z.array(z.string())).describe('Accepted file extensions by kind'),
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

/** A voice for dubbing. `clone` means the speaker of the source, so no voice may have that id. */
export const voice = z.object({
  voice_id: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'at most 64 letters, digits, _ and -')
    .refine((name) => name !== 'clone', 'clone is not a voice'),
  name: z.string().min(1).describe('Display name'),
  languages: z
    .array(z.string().regex(/^[a-z]{2,3}-[A-Z]{2,3}$/, 'a language is written like en-US'))
    .min(1)
    .describe('Target languages registered for the voice'),
})
export type Voice = z.infer<typeof voice>

export const voices = z.object({ list: z.array(voice) })

/** Aspect ratios of a result, width to height. */
export const outputRatios = ['9:16', '16:9', '1:1'] as const
export type OutputRatio = (typeof outputRatios)[number]

/** Query of the layout catalogue. */
export const layoutsQuery = z.object({
  slot_count: z.coerce
    .number<number>()
    .int()
    .min(2)
    .max(16)
    .optional()
    .describe('Number of clips; one slot each'),
  ratio: z
    .enum(outputRatios)
    .optional()
    .describe(
      'Only layouts for results of this aspect ratio, sketched in it; by default all layouts, sketched as squares',
    ),
  ...paging,
})

const layoutShare = z.number().min(0).max(1)

/** An arrangement of clips in the result. */
const layoutEntry = z.object({
  layout_id: z.int().describe('Stable across versions'),
  slot_count: z.int(),
  equivalence_key: z
    .string()
    .describe('Equal for layouts whose slots have the same sizes in other positions'),
  ratios: z.array(z.enum(outputRatios)).describe('Aspect ratios for which it may be chosen automatically'),
  slots: z
    .array(z.object({ x: layoutShare, y: layoutShare, width: layoutShare, height: layoutShare }))
    .describe("Each clip's slot as fractions of the result, without gaps"),
  svg: z.string().describe('Sketch with the slots numbered from 1 by clip'),
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
    .describe(
      'grant: added to the account; hold: charged when a task is created; refund: returned when it fails or is cancelled',
    ),
  amount: z.int().describe('Credits; negative for charges'),
  task_id: id.nullable().describe('Null for a grant'),
  create_time: timestamp,
})

export const ledgerPage = pageOf(ledgerEntry)
export type LedgerPage = z.infer<typeof ledgerPage>
