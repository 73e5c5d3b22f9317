import type { KeptFile, StagedFile } from '../contract/operation.ts'
import type { Ffmpeg } from '../engines/ffmpeg/locate.ts'
import type { ServiceKind } from '../engines/services/services.ts'

/**
 * What the supervisor and a worker child say to each other. A child does one attempt at a time.
 */
export interface Attempt {
  readonly taskId: string
  /** Operation name. */
  readonly operation: string
  readonly input: unknown
  readonly files: readonly StagedFile[]
  /** Empty folder of this attempt alone. */
  readonly scratch: string
  /** Folder of the task, for what its next attempt need not do again. */
  readonly steps: string
  readonly threads: number
}

/** A result in the attempt's folder, to be kept under the id the output already names. */
export interface ResultFile {
  readonly file_id: KeptFile['file_id']
  /** Absolute. */
  readonly path: string
  /** File name people will see. */
  readonly name: string
}

/** What an attempt that succeeded answers. */
export interface AttemptResult {
  readonly output: Record<string, unknown>
  readonly files: readonly ResultFile[]
}

/** A MediaError as it crosses processes; `bug` is the cause or the stack, for the log alone. */
export interface AttemptFailure {
  readonly code: number
  readonly message: string
  readonly hint: string
  readonly retryable: boolean
  readonly bug?: string
}

export type ToWorker =
  /** With what the supervisor knows of ffmpeg: a look at it starts four processes. */
  | { readonly say: 'run'; readonly attempt: Attempt; readonly ffmpeg: Ffmpeg | undefined }
  | { readonly say: 'abort' }
  /** The turn that was asked for by this number has come. */
  | { readonly say: 'turn'; readonly number: number }

export type FromWorker =
  | { readonly say: 'ready' }
  | { readonly say: 'progress'; readonly percent: number }
  /** Wants to send a request to a service, which is bounded over all workers. */
  | { readonly say: 'wait'; readonly need: ServiceKind; readonly number: number }
  | { readonly say: 'finished'; readonly result: AttemptResult }
  | { readonly say: 'failed'; readonly failure: AttemptFailure }
