import { MediaError } from '../../contract/errors.ts'

/** A model that is there, and gave no right answer to this question: another one, or a smaller, may have one. */
export class NoAnswer extends MediaError {
  constructor(message: string, options: { readonly retryable?: boolean; readonly hint: string }) {
    super(6401, message, options)
  }
}
