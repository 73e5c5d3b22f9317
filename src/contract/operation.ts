import type * as z from 'zod'
import type { Price } from './credits.ts'
import { type ErrorCode, MediaError } from './errors.ts'
import type { FileKind } from './file-kind.ts'
import type { MediaFacts } from './media-facts.ts'
import type { Requirement } from './requirement.ts'

/** Groups by which an agent's list of tools can be narrowed. */
export const toolsets = ['render', 'clean', 'speech', 'cut', 'library', 'files'] as const
export type Toolset = (typeof toolsets)[number]

/** Answer of a creation beyond task_id, task_type and status. */
type CreationExtra = 'created_at' | 'estimates'

/** A worked example: an input whose file ids are written as names of local files. */
export interface Example {
  readonly title: string
  readonly input: Readonly<Record<string, unknown>>
}

/** All that an agent or client sees of an operation; `tools/<operation>/contract.ts` exports one. */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** Task type key, such as `video_split_screen`. */
  readonly name: string
  readonly title: string
  /** For agents: what it does, when to use it, its limits. */
  readonly description: string
  readonly toolset: Toolset
  readonly input: Input
  readonly output: Output
  readonly price: Price
  /** Requests a minute one key may make of it (6032); without it there is no limit. */
  readonly ratePerMinute?: number
  readonly createdExtra?: readonly CreationExtra[]
  /** Its creation and query answer `{code: 0, message, data}`, and creation only task_id (contract 1, 2.1). */
  readonly envelope?: 'message'
  /** Codes in place of which its table lists others. */
  readonly errorAliases?: Readonly<Partial<Record<ErrorCode, ErrorCode>>>
  /** Codes of limits of its own. */
  readonly limits?: readonly ErrorCode[]
  /** Its creation answers with its result, and its tasks are no events (contract 1, 1 and 6). */
  readonly synchronous?: true
  /** Download addresses at the top level of its result are answered in full, by the address a caller used. */
  readonly fullLinks?: true
  /** What an agent does next with a result, where that is more than handing it over. */
  nextStep?(output: z.output<Output>): string
  /**
   * Where a request is of one of several kinds: what of it is read, nothing else counting as given. It is handed
   * what nothing has checked yet. Throws 6013 for what its kind needs.
   */
  readonly selectFields?: (request: Readonly<Record<string, unknown>>) => Record<string, unknown>
  readonly examples: readonly [Example, Example]
}

/** Declares an operation and keeps its exact types. */
export function operation<Input extends z.ZodObject, Output extends z.ZodObject>(
  declaration: Operation<Input, Output>,
): Operation<Input, Output> {
  return declaration
}

/** An error as the table of an operation lists it. */
export function toListedError<E>({ errorAliases: listedAs }: Operation, error: E): E | MediaError {
  if (!(error instanceof MediaError)) return error
  const { message, hint, retryable } = error
  const code = listedAs?.[error.code]
  return code === undefined ? error : new MediaError(code, message, { cause: error, hint, retryable })
}

export type InputOf<O extends Operation> = z.output<O['input']>
export type OutputOf<O extends Operation> = z.output<O['output']>

/** A file of the caller as creation sees it, probed. */
export interface RequestFile {
  readonly file_id: string
  readonly name: string
  readonly size: number
  /** By extension. */
  readonly kind: FileKind
  /** What the probe found; null for text and for what no probe understands. */
  readonly facts: MediaFacts | null
}

/** The files of a request by file id; `get` throws 6004 for one that was not given. */
export interface RequestFiles<F extends RequestFile = RequestFile> {
  get(fileId: string): F
}

/** Price and expected duration of a request. */
export interface Plan {
  /** Credits to hold. */
  readonly credits: number
  /** Expected seconds of work on two cores. */
  readonly seconds: number
  /** The same with other engines that fulfil a requirement, by the engine's name. */
  readonly secondsWith?: Readonly<Record<string, number>>
}

/**
 * `tools/<operation>/plan.ts` exports `plan`: checks what the schema cannot (6014, 6016, limits) and prices the work.
 * Pure: no process, no I/O.
 */
export type PlanOperation<O extends Operation> = (input: InputOf<O>, files: RequestFiles) => Plan

/**
 * `plan` of an operation whose checks or price depend on the content of text files. `readText` returns the bytes of
 * one. Parsing blocks the service, so large files are left to the run.
 */
export type PlanOperationWithTexts<O extends Operation> = (
  input: InputOf<O>,
  files: RequestFiles,
  readText: (fileId: string) => Promise<Uint8Array>,
) => Promise<Plan>

/**
 * `tools/<operation>/requirements.ts` exports `requirements`: what must be installed or configured. Pure; loads no
 * engine. Without a request: what every request needs. Without `files`: what the input alone needs.
 */
export type OperationRequirements<O extends Operation> = (
  input?: InputOf<O>,
  files?: RequestFiles,
) => readonly Requirement[]

/** A file as a worker sees it. */
export interface StagedFile extends RequestFile {
  /** Absolute path to read it from; its extension is the original's. */
  readonly path: string
}

/** A result the service is to keep. */
export interface KeptFile {
  readonly file_id: string
  readonly download_url: string
}

/** What a run is given. */
export interface RunContext {
  readonly files: RequestFiles<StagedFile>
  readonly taskId: string
  /** Empty folder of this attempt alone; the process's current folder. Removed afterwards. */
  readonly scratch: string
  /**
   * Folder of this task, which the next attempt finds as this one leaves it: for finished steps, under names that
   * tell what they were made of. Removed when the task ends.
   */
  readonly steps: string
  /** Threads the run should use. */
  readonly threads: number
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal
  /** Reports 0 to 100; going back is ignored. */
  progress(percent: number): void
  /** Hands over a finished file of the scratch folder; `name` is the file name people will see. */
  keep(file: { path: string; name: string }): KeptFile
}

/** `tools/<operation>/run.ts` exports `run`: does the work in the worker process. */
export type RunOperation<O extends Operation> = (
  input: InputOf<O>,
  context: RunContext,
) => Promise<OutputOf<O>>

/**
 * An operation with its parts; `tools/index.ts` lists them, each imported when first used. The parts are methods, so
 * that a module of one operation fits a list of modules: their arguments have passed that operation's own schema.
 */
export interface OperationModule<O extends Operation = Operation> {
  readonly operation: O
  requirements(): Promise<{
    requirements(...args: Parameters<OperationRequirements<O>>): readonly Requirement[]
  }>
  plan(): Promise<{
    plan(...args: Parameters<PlanOperationWithTexts<O>>): Plan | Promise<Plan>
  }>
  run(): Promise<{
    run(...args: Parameters<RunOperation<O>>): Promise<OutputOf<O>>
  }>
}

/** The files of a request, by file id. */
export function requestFiles<F extends RequestFile>(byId: ReadonlyMap<string, F>): RequestFiles<F> {
  return {
    get(fileId) {
      const file = byId.get(fileId)
      if (!file) throw new MediaError(6004, `there is no file ${JSON.stringify(fileId)} in this request`)
      return file
    },
  }
}
