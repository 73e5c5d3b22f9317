import type * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { QuestionImage } from './chat-completions.ts'

/** A question whose answer is of a known form. */
export interface ModelQuestion<S extends z.ZodObject> {
  /** What the answer has to be; descriptions of its fields are read by the model. */
  readonly schema: S
  readonly system: string
  readonly prompt: string
  /** Questions of the same kind with their right answers. */
  readonly examples?: readonly { readonly prompt: string; readonly answer: z.input<S> }[]
  readonly images?: readonly QuestionImage[]
  /** Most tokens of the answer, thoughts left out. */
  readonly maxTokens: number
  /** Left out, 0: the likeliest words. */
  readonly temperature?: number
  readonly signal: AbortSignal
}

/** What was used so far; estimated where the server does not count. */
interface ModelUsage {
  readonly requests: number
  readonly promptTokens: number
  readonly answerTokens: number
}

/** A language model that answers in typed objects. */
export interface LanguageModel extends AsyncDisposable {
  /** As results name it: `qwen3:8b at 127.0.0.1:11434`. */
  readonly name: string
  /** Tokens of question and answer together. */
  readonly contextTokens: number
  /** Questions that it answers at once; more wait for their turn, and the time of a question runs from there. */
  readonly concurrency: number
  readonly usage: ModelUsage
  /**
   * What the model answers, checked by the schema. Throws TooLong where the question does not fit or the answer was
   * cut off, 6401 where no right answer comes, and what the service fails with.
   */
  ask<S extends z.ZodObject>(question: ModelQuestion<S>): Promise<z.output<S>>
  /** Tokens that are left for the prompt of such a question; whoever has more to ask asks in parts. */
  promptTokenBudget<S extends z.ZodObject>(question: Omit<ModelQuestion<S>, 'prompt' | 'signal'>): number
}

/** A question that does not fit, or an answer that was cut off: in smaller parts it may do. */
export class TokenLimitExceeded extends MediaError {
  readonly part: 'question' | 'answer'

  constructor(part: 'question' | 'answer', message: string, cause?: unknown) {
    super(6401, message, {
      cause,
      retryable: false,
      hint: 'Use a model with a longer context, and say how long it is: { "language_model": { "address", "model", "context_tokens" } }.',
    })
    this.part = part
  }
}

/** A model that is there, and gave no right answer to this question: another one, or a smaller, may have one. */
export class NoUsableAnswer extends MediaError {
  constructor(
    message: string,
    options: { readonly retryable?: boolean; readonly hint: string; readonly cause?: unknown },
  ) {
    super(6401, message, options)
  }
}

/** Whether a failure is one of the question, rather than of the service: others may be answered. */
export function isQuestionFailure(error: unknown): boolean {
  return error instanceof NoUsableAnswer || error instanceof TokenLimitExceeded
}
