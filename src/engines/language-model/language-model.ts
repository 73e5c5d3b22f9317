import type * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { ModelQuestion, QuestionInput } from './question.ts'

/** Usage so far. Tokens are estimated if the server does not count them. */
interface ModelUsage {
  readonly requests: number
  readonly promptTokens: number
  readonly answerTokens: number
}

/** A language model that returns typed objects. */
export interface LanguageModel extends AsyncDisposable {
  /** Name in results, such as `qwen3:8b at 127.0.0.1:11434`. */
  readonly name: string
  /**
   * Whether it remembers the earlier questions and answers of a task, so that no question needs a summary of the others
   * and no answer needs to be stored.
   */
  readonly remembers: boolean
  /** Size of the context in tokens, for question and answer together. */
  readonly contextTokens: number
  /** Maximum concurrent questions. Others wait; their time limit starts when they are sent. */
  readonly concurrency: number
  readonly usage: ModelUsage
  /**
   * Asks the model and returns its validated answer. Throws TokenLimitExceeded if the question does not fit or the
   * answer is truncated, NoUsableAnswer if no answer is valid, and the errors of the service.
   */
  ask<I extends QuestionInput, S extends z.ZodObject>(question: ModelQuestion<I, S>): Promise<z.output<S>>
  /** Returns the tokens available for the input of such a question. Split longer inputs. */
  inputTokenBudget<I extends QuestionInput, S extends z.ZodObject>(
    question: Omit<ModelQuestion<I, S>, 'input' | 'signal'>,
  ): number
}

/** The question does not fit the context, or the answer was truncated. A smaller question may succeed. */
export class TokenLimitExceeded extends MediaError {
  readonly part: 'question' | 'answer'

  constructor(part: 'question' | 'answer', message: string, cause?: unknown) {
    super(6401, message, {
      cause,
      retryable: false,
      hint: 'Use a model with a longer context and set its size: { "language_model": { "address", "model", "context_tokens" } }.',
    })
    this.part = part
  }
}

/** The model responds but has no valid answer to this question. Other or smaller questions may succeed. */
export class NoUsableAnswer extends MediaError {
  constructor(
    message: string,
    options: { readonly retryable?: boolean; readonly hint: string; readonly cause?: unknown },
  ) {
    super(6401, message, options)
  }
}

/** Whether a failure concerns this question only, not the service. */
export function isQuestionFailure(error: unknown): boolean {
  return error instanceof NoUsableAnswer || error instanceof TokenLimitExceeded
}
