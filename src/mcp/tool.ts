import * as z from 'zod'
import type { ErrorCode } from '../contract/errors.ts'
import { fileKindsOf } from '../contract/file.ts'
import { agentFieldOf } from '../contract/agent-form.ts'
import { dropSafeBounds, type JsonSchema } from '../contract/json-schema.ts'
import type { Toolset } from '../contract/operation.ts'
import { parseArguments } from './arguments.ts'
import { type Consent, type ToolReply, withAssumptions } from './reply.ts'
import type { Session } from './session.ts'
import { takesSoundOfVideo } from './video-sound.ts'
import { maxPathLength } from './workspace.ts'

/** One call of a tool by a client. */
export interface ToolCall {
  /** Aborted when the client cancels or the time limit is reached; tasks and background jobs continue. */
  readonly signal: AbortSignal
  /** The user's answers to questions of this call. */
  readonly consent: Consent
  /** Reports progress, 0 to 100, if the client requested it. A value that is not higher only updates the message. */
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

/** With the title, which older clients read here. */
interface ToolAnnotations extends ToolHints {
  readonly title: string
}

/** A tool as `tools/list` returns it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: PublishedSchema
  readonly outputSchema?: PublishedSchema
  readonly annotations: ToolAnnotations
}

/** Documentation of a tool beside its definition. */
interface ToolDocs {
  /** Group for filtering. Absent for tools that other tools refer to, which are never filtered out by toolset. */
  readonly toolset?: Toolset
  /** Arguments of an example call; file names are files of the workspace. */
  readonly example: Readonly<Record<string, unknown>>
  /** Error codes it may return, beside 6016, 6032, 6401, 6402, 6500 and 6502, which any tool may return. */
  readonly errors: readonly ErrorCode[]
}

/** A tool: its published definition and its implementation. Failures throw MediaError. */
export interface Tool extends ToolDocs {
  readonly definition: ToolDefinition
  run(session: Session, given: unknown, call: ToolCall): Promise<ToolReply>
}

interface ToolDeclaration<Input extends z.ZodObject>
  extends Omit<ToolDefinition, 'inputSchema' | 'annotations'>, ToolDocs {
  readonly input: Input
  readonly hints: ToolHints
}

/** Defines a tool whose arguments are validated before it runs. */
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
    async run(session, given, call) {
      const { args, assumed } = parseArguments(input, given)
      return withAssumptions(await run(session, args, call), assumed)
    },
  }
}

/** A JSON Schema object as tools publish it. */
export interface PublishedSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** Bounds from this value on only exclude values that cannot be stored. */
const maxInt32 = 2 ** 31 - 1

/** Description of file fields for clients on this machine. */
export const pathOrIdText = 'path, or file id'

/**
 * Returns the JSON Schema of a tool's input for agents, derived from the zod contract: strict objects, no `$ref`, no
 * bounds that agents need not know in advance, and file fields that accept paths.
 */
export function publishInputSchema(input: z.ZodObject): PublishedSchema {
  const { $schema: _, ...published } = z.toJSONSchema(input, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const kinds = fileKindsOf(zodSchema)
      if (kinds) {
        delete jsonSchema.minLength
        delete jsonSchema.maxLength
        const video = takesSoundOfVideo({ kinds }) ? ', or a video for its sound' : ''
        jsonSchema.description = `${jsonSchema.description ?? 'File'}${video}: ${pathOrIdText}`
      }
      publishAgentField(zodSchema, jsonSchema)
      dropSafeBounds(jsonSchema)
      dropPlainBounds(jsonSchema)
      if (jsonSchema.type === 'object' && jsonSchema.properties) jsonSchema.additionalProperties = false
    },
  })
  return { ...published, type: 'object' }
}

/** Largest bound of a text's or list's length that is published: longer ones are rarely reached. */
const maxPublishedLength = 20

/** Removes bounds that agents need not know in advance: errors state them, and every token of the list counts. */
function dropPlainBounds(schema: JsonSchema): void {
  if ((schema.maximum ?? 0) >= maxInt32) delete schema.maximum
  if (schema.minimum === 0) delete schema.minimum
  if (schema.exclusiveMinimum === 0) delete schema.exclusiveMinimum
  if (schema.minLength === 1) delete schema.minLength
  if ((schema.maxLength ?? 0) > maxPublishedLength) delete schema.maxLength
  if (schema.minItems === 1) delete schema.minItems
  if ((schema.maxItems ?? 0) > maxPublishedLength) delete schema.maxItems
  delete schema.propertyNames
}

/** Publishes other names for values, and only the type of brief fields. */
function publishAgentField(schema: z.core.$ZodType, published: JsonSchema): void {
  const field = agentFieldOf(schema)
  if (field?.published && published.enum) {
    published.enum = published.enum.map((value) => field.published?.[String(value)] ?? value)
  }
  if (!field?.isBrief) return
  const isList = published.type === 'array'
  const { description } = published
  for (const keyword of Object.keys(published)) delete published[keyword]
  Object.assign(
    published,
    isList ? { type: 'array', items: { type: 'object' } } : { type: 'object' },
    description !== undefined && { description },
  )
}

/** A path or id. Its bounds are checked by a refinement, to keep them out of the published schema. */
export const pathText = z
  .string({
    error: (issue) =>
      typeof issue.input === 'number'
        ? 'must be a string; an id given as a number has lost digits'
        : undefined,
  })
  .refine(({ length }) => length > 0 && length <= maxPathLength, `is empty or longer than ${maxPathLength}`)

/** Folder or name for the result files. */
export const saveTo = pathText.optional().describe('Folder or name for the files')

/** A file that the agent names. */
export const pathOrId = pathText.describe('Path, or file id')

/** Whether a call creates a task even if an equal one is unfinished. */
export const forceNew = z.boolean().default(false).describe('Run again beside an equal task')
