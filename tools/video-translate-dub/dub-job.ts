import type { MediaFacts } from '../../src/contract/media-facts.ts'
import type { OutputOf, RunContext, StagedFile } from '../../src/contract/operation.ts'
import { failureReason } from '../../src/engines/failure-reason.ts'
import type { videoTranslateDub } from './contract.ts'
import type { DubInput } from './plan.ts'

export type DubOutput = OutputOf<typeof videoTranslateDub>

/** Outputs that may fail without failing the task. */
type DerivedOutput = keyof DubOutput['errors']

/** What all steps of a dub have in common. */
export interface DubJob {
  readonly input: DubInput
  readonly source: StagedFile & { readonly facts: MediaFacts }
  readonly context: RunContext
  readonly failures: DerivedFailures
  /** Remarks on the result, which steps add. */
  readonly notes: string[]
  /** Name of the source without its extension, and the target language: the start of names of result files. */
  readonly name: string
}

/** Derived outputs that failed, with their reasons. */
export class DerivedFailures {
  readonly #signal: AbortSignal
  readonly errors: DubOutput['errors'] = {}

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Writes a derived output. If it fails, records the reason and returns undefined; only an abort and bugs are thrown. */
  async attempt<T>(output: DerivedOutput, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.errors[output] = failureReason(error, this.#signal)
      return undefined
    }
  }
}

/** Returns a function that reports shares of a stage, 0 to 1, as the progress of the task. */
export function stageProgress(
  { progress }: Pick<RunContext, 'progress'>,
  from: number,
  to: number,
): (share: number) => void {
  return (share) => progress(from + (to - from) * share)
}
