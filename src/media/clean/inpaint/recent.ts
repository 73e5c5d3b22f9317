/** What was worked out last, by what it was worked out of: so many of them, those that were used longest ago give way. */
export class Recent<K, V> {
  readonly #most: number
  readonly #kept = new Map<K, V>()

  constructor(most: number) {
    this.#most = most
  }

  /** What was worked out of a key, or is now. */
  of(key: K, work: () => V): V {
    const value = this.#kept.get(key) ?? work()
    this.#kept.delete(key)
    this.#kept.set(key, value)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest)
    return value
  }
}
