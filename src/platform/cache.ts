/** Creates a value on first use and keeps it. */
export function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined
  return () => (created ??= { value: create() }).value
}

/** Least-recently-used cache of byte arrays by name, bounded by their total size. */
export class LruByteCache<T extends { readonly byteLength: number } = Uint8Array> {
  readonly #maxBytes: number
  readonly #kept = new Map<string, T>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(name: string): T | undefined {
    const data = this.#kept.get(name)
    if (!data) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, data)
    return data
  }

  set(name: string, data: T): void {
    this.delete(name)
    this.#kept.set(name, data)
    this.#bytes += data.byteLength
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.delete(oldest)
    }
  }

  /** Deletes all entries whose names start with a prefix. */
  deleteAll(prefix: string): void {
    for (const name of this.#kept.keys()) if (name.startsWith(prefix)) this.delete(name)
  }

  delete(name: string): void {
    this.#bytes -= this.#kept.get(name)?.byteLength ?? 0
    this.#kept.delete(name)
  }
}
