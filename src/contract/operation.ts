import type * as z from 'zod'
import type { AgentForm } from './agent-form.ts'
import type { Price } from './credits.ts'
import { type ErrorCode, ListedError, MediaError } from './errors.ts'
import type { FileKind } from './file-kind.ts'
import type { LibraryFindResult, LibraryQuery, MaterialLinks } from './library.ts'
import type { MediaFacts } from './media-facts.ts'
import type { AskTaskQuestions } from './questions.ts'
import type { Requirement } from './requirement.ts'

/** Groups by which an agent's list of tools can be narrowed. */
export const toolsets = ['render', 'clean', 'speech', 'cut', 'library', 'files'] as const
export type Toolset = (typeof toolsets)[number]

/** Fields of a creation response beyond task_id, task_type and status. */
type CreationExtra = 'created_at' | 'estimates'

/** A worked example: an input whose file ids are written as names of local files. */
export interface Example {
  readonly title: string
  readonly input: Readonly<Record<string, unknown>>
  /** Arguments of the same call of the MCP tool, where they are shorter. */
  readonly call?: Readonly<Record<string, unknown>>
}

/** A list of regions that an agent reviewed over a file. */
export interface ReviewedRegions {
  readonly fileId: string
  /** Whether the list is a detection result; else someone wrote it. */
  readonly isDetected: boolean
}

/** A completed task as an agent knows it, for its next step. */
export interface NextStepContext {
  /** The plain arguments of the call, with files as the agent named them; undefined if another session called. */
  readonly input?: Readonly<Record<string, unknown>> | undefined
  /** How the agent names a result file: by its saved path, otherwise by its id. */
  nameFile(fileId: string): string
}

/** Public contract of an operation. Each `tools/<operation>/contract.ts` exports one. */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** Task type key: the name of its tool and of its endpoint, `/task/{task_type}`. */
  readonly name: string
  readonly title: string
  /** For agents, in the list of tools: purpose, and what a first call needs. Each word counts. */
  readonly description: string
  /** The rest, for the resource of the operation and the documentation: limits and details. */
  readonly details?: string
  readonly toolset: Toolset
  readonly input: Input
  readonly output: Output
  readonly price: Price
  /** Whether accounts of the internal type are not charged. */
  readonly isFreeForInternalAccounts?: true
  /** Maximum requests per minute and key (6032). Absent: that of `requestsPerMinute`. */
  readonly ratePerMinute?: number
  /** Largest JSON body of a request, bytes: what its limits on lists and texts need. Absent: 1 MiB. */
  readonly maxBodyBytes?: number
  readonly createdExtra?: readonly CreationExtra[]
  /** Creation and query return `{code: 0, message, data}`; creation returns only task_id (contract 1, 2.1). */
  readonly envelope?: 'message'
  /** Error codes that this operation's table replaces with others, except those of a `ListedError`. */
  readonly errorAliases?: Readonly<Partial<Record<ErrorCode, ErrorCode>>>
  /** Error codes of limits specific to this operation. */
  readonly limits?: readonly ErrorCode[]
  /** Creation returns the result, and its tasks emit no events (contract 1, 1 and 6). */
  readonly synchronous?: true
  /** Download URLs at the top level of the result are absolute, based on the host that the caller used. */
  readonly fullLinks?: true
  /**
   * For results that would fill the context of a model: agents on the service's machine get the result as a JSON file of
   * this name, and the reply has only its other fields. Agents elsewhere cannot open the file: their reply has these
   * fields too if they take at most `linkedCharacters` as JSON (default 0).
   */
  readonly agentFile?: {
    readonly name: string
    readonly fields: readonly string[]
    readonly linkedCharacters?: number
  }
  /** Text by which a person knows a task that has no input files. input: of a task. */
  subject?(input: z.output<Input>): string
  /** Next step for the agent, if it is more than handing over the result. */
  nextStep?(output: z.output<Output>, context: NextStepContext): string
  /** Paths of JPEG pictures of the first results, in order, which agents see beside the result. */
  resultPictures?(output: z.output<Output>): readonly string[]
  /** Each run returns another result, so that a finished one never replaces a new run. */
  readonly resultVaries?: true
  /** For the operation that treats lists of regions of one kind of file: next step after the review of a list. */
  readonly reviewedRegions?: { readonly kind: FileKind; nextStep(list: ReviewedRegions): string }
  /**
   * For operations with several request variants: returns the fields that the variant reads; all others are ignored.
   * The request is not validated yet. Throws 6013 if a field that the variant requires is missing.
   */
  readonly selectFields?: (request: Readonly<Record<string, unknown>>) => Record<string, unknown>
  /** Arguments of the MCP tool, where they are more than the HTTP contract's. */
  readonly agentForm?: AgentForm
  readonly examples: readonly [Example, Example]
}

/** Declares an operation and keeps its exact types. */
export function operation<Input extends z.ZodObject, Output extends z.ZodObject>(
  declaration: Operation<Input, Output>,
): Operation<Input, Output> {
  return declaration
}

/** Limit of operations without a price: credits do not bound their use. An agent that corrects a particle needs less. */
const freeRequestsPerMinute = 60

/** Maximum requests per minute and key of an operation; undefined for no limit. */
export function requestsPerMinute({
  ratePerMinute,
  price,
}: Pick<Operation, 'ratePerMinute' | 'price'>): number | undefined {
  return ratePerMinute ?? (price.credits === 0 ? freeRequestsPerMinute : undefined)
}

/** Largest JSON body of operations that state no other limit, bytes. */
const defaultOperationBodyBytes = 2 ** 20

/** Largest JSON body of a request of an operation, or of an unknown one, bytes. */
export function operationBodyBytes(declared?: Operation): number {
  return declared?.maxBodyBytes ?? defaultOperationBodyBytes
}

/** Largest JSON body of any operation, bytes. */
export function largestBodyBytes(operations: Iterable<Operation>): number {
  return Math.max(operationBodyBytes(), ...[...operations].map(operationBodyBytes))
}

/** Converts an error to the code that the operation lists for it. */
export function toListedError<E>({ errorAliases }: Operation, error: E): E | MediaError {
  if (!(error instanceof MediaError) || error instanceof ListedError) return error
  const { message, hint, retryable } = error
  const code = errorAliases?.[error.code]
  return code === undefined ? error : new MediaError(code, message, { cause: error, hint, retryable })
}

export type InputOf<O extends Operation> = z.output<O['input']>
export type OutputOf<O extends Operation> = z.output<O['output']>

/** An input file of a request, after probing. */
export interface RequestFile {
  readonly file_id: string
  readonly name: string
  readonly size: number
  /** By extension. */
  readonly kind: FileKind
  /** Media facts from the probe; null for text and for formats that no probe supports. */
  readonly facts: MediaFacts | null
}

/** Files of a request, by file id. `get` throws 6004 for an id that the request does not contain. */
export interface RequestFiles<F extends RequestFile = RequestFile> {
  get(fileId: string): F
}

/** Price and expected duration of a request. */
export interface Plan {
  /** Credits to reserve. */
  readonly credits: number
  /** Expected seconds of work on two cores. */
  readonly seconds: number
  /** Expected seconds with another engine that fulfils a requirement, by engine name. */
  readonly secondsWith?: Readonly<Record<string, number>>
}

/**
 * `tools/<operation>/plan.ts` exports `plan`: checks what the schema cannot (6014, 6016, limits) and prices the work.
 * Pure: no process, no I/O.
 */
export type PlanOperation<O extends Operation> = (input: InputOf<O>, files: RequestFiles) => Plan

/**
 * `plan` of an operation whose checks or price depend on the content of text files. `readText` returns the bytes of
 * one. With more than 64 KiB of text it runs in a thread, which loads only the plan's module.
 */
export type PlanOperationWithTexts<O extends Operation> = (
  input: InputOf<O>,
  files: RequestFiles,
  readText: (fileId: string) => Promise<Uint8Array>,
) => Promise<Plan>

/**
 * `tools/<operation>/requirements.ts` exports `requirements`: what must be installed or configured. Pure; loads no
 * engine. Without `input`: the requirements of every request. Without `files`: those of the input only.
 */
export type OperationRequirements<O extends Operation> = (
  input?: InputOf<O>,
  files?: RequestFiles,
) => readonly Requirement[]

/** An input file that a worker can read from disk. */
export interface StagedFile extends RequestFile {
  /** Absolute path of the file, with the original extension. */
  readonly path: string
  /** BLAKE3 of the stored file, lower-case hex. */
  readonly blake3: string
}

/** A result file that the service stores. */
export interface KeptFile {
  readonly file_id: string
  readonly download_url: string
}

/** The operator's library of material, which the service searches: workers never open the database. */
export interface LibraryAccess {
  /** Searches the library. Throws 6401 if it is empty or has vectors of another space. */
  find(query: LibraryQuery): Promise<LibraryFindResult<MaterialLinks>>
  /** Grants materials to the account for ever, once the task is completed. */
  grant(ids: readonly number[]): void
}

/** Context of a run. */
export interface RunContext {
  readonly files: RequestFiles<StagedFile>
  readonly taskId: string
  /** Empty folder of this attempt, and the process's working directory. Removed after the attempt. */
  readonly scratch: string
  /**
   * Folder of this task, kept between attempts. Stores finished steps under names derived from their inputs. Removed
   * when the task ends.
   */
  readonly steps: string
  /** Threads the run should use. */
  readonly threads: number
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal
  /** Asks the agent that created the task; absent if a configured model answers. */
  readonly askTask?: AskTaskQuestions | undefined
  readonly library: LibraryAccess
  /** Reports progress, 0 to 100. Lower values than before are ignored. */
  progress(percent: number): void
  /** Stores a finished file of the scratch folder. `name`: the file name that users see. */
  keep(file: { path: string; name: string }): KeptFile
}

/** `tools/<operation>/run.ts` exports `run`: performs the work in the worker process. */
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
  /** URL of the plan's module without its extension, if the plan reads texts: large ones are planned in a thread. */
  readonly textPlan?: URL
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
