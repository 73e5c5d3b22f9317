/**
 * What is to be closed again, the last first: ES2026's AsyncDisposableStack, which Node 22 lacks.
 * Disposing goes on past a failure and throws at its end; a second one does nothing.
 */
export class CleanupStack implements AsyncDisposable {
  #closers: (() => unknown)[] = []

  /** Calls this at disposal. */
  defer(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Disposes of a resource at disposal, and answers it. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.defer(() => resource[Symbol.asyncDispose]())
    return resource
  }

  /** Hands everything to another stack; this one has nothing left to close. */
  move(): CleanupStack {
    const moved = new CleanupStack()
    moved.#closers = this.#closers
    this.#closers = []
    return moved
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = []
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors)
  }
}
