/** A resource in use. Disposing it ends the use, not the resource. */
export interface Lease<T> extends AsyncDisposable {
  readonly value: T
}

interface Kept<T> {
  readonly opening: Promise<T>
  users: number
  idle?: NodeJS.Timeout
}

/**
 * Keeps resources that take long to open: users of the same name share one, and one without users stays open for some
 * time. Nothing here keeps the process alive.
 */
export class OpenResources<T extends AsyncDisposable> {
  readonly #idleMs: number
  readonly #kept = new Map<string, Kept<T>>()

  /** idleMs: time without users after which a resource is closed. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /** Returns the open resource of a name, or opens it. A failure to open is not kept. */
  async use(name: string, open: () => Promise<T>): Promise<Lease<T>> {
    const kept: Kept<T> = this.#kept.get(name) ?? { opening: open(), users: 0 }
    this.#kept.set(name, kept)
    clearTimeout(kept.idle)
    kept.users += 1
    try {
      const value = await kept.opening
      return { value, [Symbol.asyncDispose]: async () => this.#release(name, kept) }
    } catch (error) {
      if (this.#kept.get(name) === kept) this.#kept.delete(name)
      throw error
    }
  }

  #release(name: string, kept: Kept<T>): void {
    kept.users -= 1
    if (kept.users > 0) return
    kept.idle = setTimeout(() => {
      this.#kept.delete(name)
      void kept.opening.then((value) => value[Symbol.asyncDispose]())
    }, this.#idleMs).unref()
  }
}
