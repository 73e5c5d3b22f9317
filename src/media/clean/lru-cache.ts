/** A cache that evicts the least recently used values until the rest fit. The latest value stays even if it is larger. */
export class LruCache<K, V extends object> {
  readonly #maxSize: number
  readonly #sizeOf: (value: V) => number
  readonly #kept = new Map<K, V>()
  #size = 0

  /** maxSize: sum of the sizes of all values; the number of values by default. */
  constructor(maxSize: number, sizeOf: (value: V) => number = () => 1) {
    this.#maxSize = maxSize
    this.#sizeOf = sizeOf
  }

  /** Returns the cached value of a key, computing it if absent. */
  getOrCompute(key: K, work: () => V): V {
    const cached = this.#kept.get(key)
    const value = cached ?? work()
    if (cached === undefined) this.#size += this.#sizeOf(value)
    this.#kept.delete(key)
    this.#kept.set(key, value)
    for (const [oldest, dropped] of this.#kept) {
      if (this.#size <= this.#maxSize || oldest === key) break
      this.#kept.delete(oldest)
      this.#size -= this.#sizeOf(dropped)
    }
    return value
  }
}
