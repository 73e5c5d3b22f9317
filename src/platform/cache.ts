/** Makes a value when it is first asked for, and keeps it. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Data by name, the least lately used of which is dropped beyond so many bytes in all. */
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

  /** Drops all whose names begin so. */
  deleteAll(beginning: string): void {
    for (const name of this.#kept.keys()) if (name.startsWith(beginning)) this.delete(name)
  }

  delete(name: string): void {
    this.#bytes -= this.#kept.get(name)?.byteLength ?? 0
    this.#kept.delete(name)
  }
}
