/** More than an agent's conversation makes. */
const maxRecentItems = 1000

/** The latest items by id. */
export class RecentItems<T> {
  readonly #items = new Map<string, T>()

  remember(id: string, item: T): void {
    this.#items.delete(id)
    this.#items.set(id, item)
    const [oldest] = this.#items.keys()
    if (this.#items.size > maxRecentItems && oldest !== undefined) this.#items.delete(oldest)
  }

  get(id: string): T | undefined {
    return this.#items.get(id)
  }

  entries(): IterableIterator<[string, T]> {
    return this.#items.entries()
  }
}
