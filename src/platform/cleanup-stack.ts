/**
 * Resources to close, last first: ES2026's AsyncDisposableStack, which Node 22 does not have. Disposal closes all
 * resources, then throws what failed; a second disposal does nothing.
 */
export class CleanupStack implements AsyncDisposable {
  #closers: (() => unknown)[] = []

  /** Calls a function at disposal. */
  defer(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Disposes of a resource at disposal. Returns the resource. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.defer(() => resource[Symbol.asyncDispose]())
    return resource
  }

  /** Moves all resources to a new stack and leaves this one empty. */
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
