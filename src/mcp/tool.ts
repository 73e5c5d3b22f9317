import * as z from 'zod'
import type { ErrorCode } from '../contract/errors.ts'
import { fileKindsOf } from '../contract/file.ts'
import { agentField, agentFieldOf, isUnlistedField } from '../contract/agent-form.ts'
import { fieldSchema } from '../contract/suggest-fix.ts'
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

/** Annotations of a tool as MCP defines them, without the title, which clients read from the tool. */
interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool as `tools/list` returns it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: PublishedSchema
  readonly outputSchema?: PublishedSchema
  readonly annotations: ToolHints
}

/** Documentation of a tool beside its definition. */
interface ToolDocs {
  /** Group for filtering. Absent for tools that other tools refer to, which are never filtered out by toolset. */
  readonly toolset?: Toolset
  /** Further groups whose tools refer to it. */
  readonly alsoIn?: readonly Toolset[]
  /** Arguments of an example call; file names are files of the workspace. */
  readonly example: Readonly<Record<string, unknown>>
  /** What the description omits to keep the list of tools short. */
  readonly details?: string | undefined
  /** Error codes it may return, beside 6016, 6032, 6401, 6402, 6500 and 6502, which any tool may return. */
  readonly errors: readonly ErrorCode[]
}

/** A tool: its published definition and its implementation. Failures throw MediaError. */
export interface Tool extends ToolDocs {
  readonly definition: ToolDefinition
  /** Schema of the input with all fields and bounds, for the documentation. */
  fullInputSchema(): PublishedSchema
  run(session: Session, given: unknown, call: ToolCall): Promise<ToolReply>
}

interface ToolDeclaration<Input extends z.ZodObject>
  extends Omit<ToolDefinition, 'inputSchema' | 'annotations'>, ToolDocs {
  readonly input: Input
  readonly hints: ToolHints
}

/** Defines a tool whose arguments are validated before it runs. */
export function defineTool<Input extends z.ZodObject>(
  { input, hints, toolset, alsoIn = [], example, errors, details, ...published }: ToolDeclaration<Input>,
  run: (session: Session, args: z.output<Input>, call: ToolCall) => Promise<ToolReply>,
): Tool {
  return {
    ...(toolset && { toolset }),
    alsoIn,
    example,
    errors,
    details,
    definition: {
      ...published,
      inputSchema: publishInputSchema(input),
      annotations: hints,
    },
    fullInputSchema: () => publishInputSchema(input, 'full'),
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

/** Description of file fields for clients on this machine. */
export const pathOrIdText = 'path or id'

/** Part of descriptions of fields that also accept a folder, for clients on this machine. */
export const orFolderText = ' or folder'

/**
 * Returns the JSON Schema of a tool's input for agents, derived from the zod contract: strict objects, no `$ref`, and
 * file fields that accept paths. `list`, for the list of tools: without bounds and fields that agents need not know in
 * advance, as every token of the list counts. `full`, for its resource and the documentation: everything.
 */
export function publishInputSchema(input: z.ZodObject, form: 'list' | 'full' = 'list'): PublishedSchema {
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
      publishNames(zodSchema, jsonSchema)
      dropSafeBounds(jsonSchema)
      if (form === 'list') shortenSchema(zodSchema, jsonSchema)
      if (jsonSchema.type === 'object' && jsonSchema.properties) jsonSchema.additionalProperties = false
    },
  })
  return { ...published, type: 'object' }
}

/** Largest bound of a text's or list's length that is listed: longer ones are rarely reached. */
const maxListedLength = 20

/** Largest bound of a number that is listed: higher ones, such as 6 hours in seconds, are rarely reached. */
const maxListedBound = 20_000

/** Removes what agents need not know in advance; errors state it, and so does the full schema. */
function shortenSchema(zodSchema: z.core.$ZodType, schema: JsonSchema): void {
  dropPlainBounds(schema)
  dropRepeatedDefault(schema)
  if (agentFieldOf(zodSchema)?.isBrief) keepTypeOnly(schema)
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (zodSchema instanceof z.ZodObject && isUnlistedField(fieldSchema(zodSchema, name)))
      removeField(schema, name)
    else if (typeof field === 'object' && obviousNames.has(name)) delete field.description
  }
}

/** Fields whose name, values and bounds say all that a call needs; boxes state the unit of their sides once. */
const obviousNames: ReadonlySet<string> = new Set([
  ...['x', 'y', 'w', 'h', 'wait_seconds', 'fps', 'quality', 'output_ratio', 'keep_pitch', 'blur'],
  ...['artist', 'text', 'text_lang', 'language', 'translate_language', 'source', 'status', 'preview'],
  ...['composition', 'render', 'assets'],
])

function removeField(schema: JsonSchema, name: string): void {
  delete schema.properties?.[name]
  if (schema.required) schema.required = schema.required.filter((one) => one !== name)
}

/** Removes the default of an object that only repeats the defaults of its fields. */
function dropRepeatedDefault(schema: JsonSchema): void {
  const { properties, default: value } = schema
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return
  const repeats = Object.entries(value).every(([name, one]) => {
    const field = properties[name]
    return typeof field === 'object' && field.default === one
  })
  if (repeats) delete schema.default
}

/** Removes bounds that are obvious or rarely reached, and patterns, which descriptions state in words. */
function dropPlainBounds(schema: JsonSchema): void {
  if (Math.abs(schema.maximum ?? 0) > maxListedBound) delete schema.maximum
  if (schema.minimum === 0 || Math.abs(schema.minimum ?? 0) > maxListedBound) delete schema.minimum
  if (schema.exclusiveMinimum === 0) delete schema.exclusiveMinimum
  if (schema.minLength === 1) delete schema.minLength
  if ((schema.maxLength ?? 0) > maxListedLength) delete schema.maxLength
  if (schema.minItems === 1) delete schema.minItems
  if ((schema.maxItems ?? 0) > maxListedLength) delete schema.maxItems
  delete schema.pattern
  delete schema.propertyNames
}

/** Publishes other names for values. */
function publishNames(schema: z.core.$ZodType, published: JsonSchema): void {
  const names = agentFieldOf(schema)?.published
  if (names && published.enum) published.enum = published.enum.map((value) => names[String(value)] ?? value)
}

function keepTypeOnly(published: JsonSchema): void {
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
export const saveTo = pathText.optional().describe('Folder or file name')

/** A file that the agent names. */
export const pathOrId = pathText.describe('Path or id')

/** Whether a call creates a task even if an equal one exists. The result of an equal task names it, so it is not listed. */
export const forceNew = agentField(z.boolean(), { isUnlisted: true })
  .default(false)
  .describe('Repeat an equal task')
