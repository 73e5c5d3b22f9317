import type * as z from 'zod'
import { parseArguments } from './arguments.ts'
import type { Reply } from './reply.ts'
import { publishInput, type PublishedSchema } from './schema.ts'
import type { Session } from './session.ts'

/** One call of a tool by a client. */
export interface Call {
  /** Aborted when the client gave up or the call's time is over; tasks and transfers go on. */
  readonly signal: AbortSignal
  /** Tells a client that asked for it: 0 to 100; what does not rise is not told. */
  progress(percent: number, message: string): void
}

/** True statements on what a tool does. */
interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** With the title, which older clients look for here. */
interface Annotations extends Hints {
  readonly title: string
}

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: PublishedSchema
  readonly outputSchema?: PublishedSchema
  readonly annotations: Annotations
}

/** A tool: what is published, and what a call does. Failures throw MediaError. */
export interface Tool {
  readonly definition: ToolDefinition
  run(session: Session, given: unknown, call: Call): Promise<Reply>
}

interface Declaration<Input extends z.ZodObject> extends Omit<ToolDefinition, 'inputSchema' | 'annotations'> {
  readonly input: Input
  readonly hints: Hints
}

/** Declares a tool whose arguments are parsed as a whole before it runs. */
export function tool<Input extends z.ZodObject>(
  { input, hints, ...published }: Declaration<Input>,
  run: (session: Session, args: z.output<Input>, call: Call) => Promise<Reply>,
): Tool {
  return {
    definition: {
      ...published,
      inputSchema: publishInput(input),
      annotations: { title: published.title, ...hints },
    },
    run: (session, given, call) => run(session, parseArguments(input, given), call),
  }
}
