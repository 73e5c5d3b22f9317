import type { LibraryFindResult, LibraryQuery, MaterialLinks } from '../contract/library.ts'
import type { KeptFile, StagedFile } from '../contract/operation.ts'
import type { Answerer, QuestionState, TaskQuestion } from '../contract/questions.ts'
import type { Ffmpeg } from '../engines/ffmpeg/locate.ts'
import type { ServiceKind } from '../engines/services/services.ts'

// Messages between the supervisor and a worker child. A child runs one attempt at a time.

/** One attempt of a task, as a worker receives it. */
export interface Attempt {
  readonly taskId: string
  /** Operation name. */
  readonly operation: string
  /** The validated body as JSON, which may have many megabytes: the supervisor does not parse it. */
  readonly input: string
  readonly files: readonly StagedFile[]
  /** Empty folder of this attempt. */
  readonly scratch: string
  /** Folder of the task's finished steps, which later attempts reuse. */
  readonly steps: string
  readonly threads: number
  /** Who answers its questions to a language model: the agent that created the task, or a configured model. */
  readonly answersBy: Answerer
}

/** A result in the attempt's folder, to be stored under the file id that the output already contains. */
export interface AttemptFile {
  readonly file_id: KeptFile['file_id']
  /** Absolute path. */
  readonly path: string
  /** File name for users. */
  readonly name: string
}

/** Result of a successful attempt. */
export interface AttemptResult {
  readonly output: Record<string, unknown>
  readonly files: readonly AttemptFile[]
  /** Materials of the library that the account receives. */
  readonly granted: readonly number[]
}

/** A MediaError in a message; `bug` is the cause or the stack, for the log only. */
export interface AttemptFailure {
  readonly code: number
  readonly message: string
  readonly hint: string
  readonly retryable: boolean
  /** Whether a language model had no usable answer. */
  readonly isUnanswered?: boolean
  readonly bug?: string
}

export type ToWorker =
  /** With the supervisor's findings about ffmpeg, as inspecting it starts processes. */
  | { readonly type: 'run'; readonly attempt: Attempt; readonly ffmpeg: Ffmpeg | undefined }
  | { readonly type: 'abort' }
  /** The permit with this number is granted. */
  | { readonly type: 'permit'; readonly number: number }
  /** The states of the questions that were asked with this number. */
  | { readonly type: 'answers'; readonly number: number; readonly states: readonly QuestionState[] }

  /** The result of the search of the library with this number, or why it failed. */
  | {
      readonly type: 'found'
      readonly number: number
      readonly result: LibraryFindResult<MaterialLinks> | AttemptFailure
    }

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'progress'; readonly percent: number }
  /** What the work waits for; null once it continues. */
  | { readonly type: 'note'; readonly note: string | null }
  /** Asks for a permit to send a request to a service; the rate is limited over all workers. */
  | { readonly type: 'acquire'; readonly service: ServiceKind; readonly number: number }
  /** Asks the agent that created the task. */
  | { readonly type: 'ask'; readonly number: number; readonly questions: readonly TaskQuestion[] }
  /** Searches the library. */
  | { readonly type: 'find'; readonly number: number; readonly query: LibraryQuery }
  /** The attempt waits for answers, and ends. */
  | { readonly type: 'suspended' }
  | { readonly type: 'finished'; readonly result: AttemptResult }
  | { readonly type: 'failed'; readonly failure: AttemptFailure }
