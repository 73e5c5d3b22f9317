import { MediaError } from '../../contract/errors.ts'

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
