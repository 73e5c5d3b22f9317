import * as z from 'zod'
import type { ErrorCode } from '../contract/errors.ts'
import { fileKindsOf } from '../contract/file.ts'
import { dropSafeBounds } from '../contract/json-schema.ts'
import type { Toolset } from '../contract/operation.ts'
import { parseArguments } from './arguments.ts'
import type { Consent, ToolReply } from './reply.ts'
import type { Session } from './session.ts'
import { maxPathLength } from './workspace.ts'

/** One call of a tool by a client. */
export interface ToolCall {
  /** Aborted when the client gave up or the call's time is over; tasks and transfers go on. */
  readonly signal: AbortSignal
  /** What the user was asked in it. */
  readonly consent: Consent
  /** Tells a client that asked for it: 0 to 100; what does not rise is not told. */
  progress(percent: number, message: string): void
}

/** How a call's progress is divided, %: uploads end at `uploaded`, the task at `worked`, then files are saved. */
export const progressShares = { uploaded: 10, worked: 95 } as const

/** Annotations of a tool as MCP defines them. */
interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** With the title, which older clients look for here. */
interface ToolAnnotations extends ToolHints {
  readonly title: string
}

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: PublishedSchema
  readonly outputSchema?: PublishedSchema
  readonly annotations: ToolAnnotations
}

/** What documents tell of a tool beside its definition. */
interface ToolDocs {
  /** Group by which the list is narrowed; left out for what the other tools' answers point to. */
  readonly toolset?: Toolset
  /** Arguments of a call that makes sense; file names stand for files of the workspace. */
  readonly example: Readonly<Record<string, unknown>>
  /** Codes it answers, beside 6016, 6032, 6401, 6402, 6500 and 6502, which any tool may answer. */
  readonly errors: readonly ErrorCode[]
}

/** A tool: what is published, and what a call does. Failures throw MediaError. */
export interface Tool extends ToolDocs {
  readonly definition: ToolDefinition
  run(session: Session, given: unknown, call: ToolCall): Promise<ToolReply>
}

interface ToolDeclaration<Input extends z.ZodObject>
  extends Omit<ToolDefinition, 'inputSchema' | 'annotations'>, ToolDocs {
  readonly input: Input
  readonly hints: ToolHints
}

/** Declares a tool whose arguments are parsed as a whole before it runs. */
export function defineTool<Input extends z.ZodObject>(
  { input, hints, toolset, example, errors, ...published }: ToolDeclaration<Input>,
  run: (session: Session, args: z.output<Input>, call: ToolCall) => Promise<ToolReply>,
): Tool {
  return {
    ...(toolset && { toolset }),
    example,
    errors,
    definition: {
      ...published,
      inputSchema: publishInputSchema(input),
      annotations: { title: published.title, ...hints },
    },
    run: (session, given, call) => run(session, parseArguments(input, given), call),
  }
}

/** A JSON Schema object as tools publish it. */
export interface PublishedSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** From here on, a bound only keeps out what cannot be stored. */
const maxInt32 = 2 ** 31 - 1

/** What file fields take where the client works on this machine. */
export const pathOrIdText = 'path, or file id'

/**
 * The JSON Schema agents see of a tool's input, from the zod contract alone: strict objects, no
 * `$ref`, no bounds that only say "a 32-bit or safe integer", and file fields that take paths.
 */
export function publishInputSchema(input: z.ZodObject): PublishedSchema {
  const { $schema: _, ...published } = z.toJSONSchema(input, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (fileKindsOf(zodSchema)) {
        delete jsonSchema.minLength
        delete jsonSchema.maxLength
        jsonSchema.description = `${jsonSchema.description ?? 'File'}: ${pathOrIdText}`
      }
      dropSafeBounds(jsonSchema)
      if ((jsonSchema.maximum ?? 0) >= maxInt32) delete jsonSchema.maximum
      if (jsonSchema.type === 'object' && jsonSchema.properties) jsonSchema.additionalProperties = false
    },
  })
  return { ...published, type: 'object' }
}

/** Longest a call may be asked to wait, seconds: clients give up at 60. */
const maxWaitSeconds = 45

/** How long a call waits before it answers with what there is. */
export const waitSeconds = z
  .int()
  .min(0)
  .max(maxWaitSeconds)
  .default(20)
  .describe('Seconds to wait for the result')

/** A path or id: bounds that nobody meets stay out of the published schema. */
export const pathText = z
  .string({
    error: (issue) =>
      typeof issue.input === 'number'
        ? 'a file is given as text; as a number an id has lost digits'
        : undefined,
  })
  .refine(({ length }) => length > 0 && length <= maxPathLength, `is empty or longer than ${maxPathLength}`)

/** Where result files go. */
export const saveTo = pathText.optional().describe('Folder for the files, or a name for them')

/** A file the agent names. */
export const pathOrId = pathText.describe('Path, or file id')

/** Whether a call repeats work that is under way. */
export const forceNew = z.boolean().default(false).describe('Begin anew beside an equal call')
