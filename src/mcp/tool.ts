import type * as z from 'zod'
import type { ErrorCode } from '../contract/errors.ts'
import type { Toolset } from '../contract/operation.ts'
import { parseArguments } from './arguments.ts'
import type { Consent } from './consent.ts'
import type { ToolReply } from './reply.ts'
import { publishInputSchema, type PublishedSchema } from './schema.ts'
import type { Session } from './session.ts'

/** One call of a tool by a client. */
export interface ToolCall {
  /** Aborted when the client gave up or the call's time is over; tasks and transfers go on. */
  readonly signal: AbortSignal
  /** What the user was asked in it. */
  readonly consent: Consent
  /** Tells a client that asked for it: 0 to 100; what does not rise is not told. */
  progress(percent: number, message: string): void
}

/** True statements on what a tool does. */
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
