import type { Patch } from './frame.ts'

/** What was worked out last, by what it was worked out of: so many of them, those that were used longest ago give way. */
export class LruCache<K, V> {
  readonly #most: number
  readonly #kept = new Map<K, V>()

  constructor(most: number) {
    this.#most = most
  }

  /** What was worked out of a key, or is now. */
  getOrCompute(key: K, work: () => V): V {
    const value = this.#kept.get(key) ?? work()
    this.#kept.delete(key)
    this.#kept.set(key, value)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest)
    return value
  }
}

/** Masks kept for who looks ahead and back, pixels in all. */
const cachedPixels = 2 ** 25

/** What was worked out, by the frame since which it holds; what was asked for longest ago gives way. */
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
