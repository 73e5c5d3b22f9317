import type { Patch } from './frame.ts'

/** A cache of a fixed number of entries that evicts the least recently used one. */
export class LruCache<K, V> {
  readonly #most: number
  readonly #kept = new Map<K, V>()

  constructor(most: number) {
    this.#most = most
  }

  /** Returns the cached value of a key, computing it if absent. */
  getOrCompute(key: K, work: () => V): V {
    const value = this.#kept.get(key) ?? work()
    this.#kept.delete(key)
    this.#kept.set(key, value)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest)
    return value
  }
}

/** Capacity of a patch cache, in mask pixels. Treatments look ahead and back, so several states are needed. */
const cachedPixels = 2 ** 25

/**
 * A cache of patches by the first frame for which they are valid. Evicts the least recently used until the masks fit.
 */
export class PatchCache {
  readonly #kept = new Map<number, readonly Patch[]>()
  #pixels = 0

  get(since: number): readonly Patch[] | undefined {
    const patches = this.#kept.get(since)
    if (patches) {
      this.#kept.delete(since)
      this.#kept.set(since, patches)
    }
    return patches
  }

  add(since: number, patches: readonly Patch[]): readonly Patch[] {
    this.#kept.set(since, patches)
    this.#pixels += maskPixelCount(patches)
    for (const [oldest, dropped] of this.#kept) {
      if (this.#pixels <= cachedPixels || oldest === since) break
      this.#kept.delete(oldest)
      this.#pixels -= maskPixelCount(dropped)
    }
    return patches
  }
}

function maskPixelCount(patches: readonly Patch[]): number {
  return patches.reduce((sum, { mask }) => sum + mask.length, 0)
}
