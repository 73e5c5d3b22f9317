import type { Patch } from './patch.ts'

/** Masks kept for who looks ahead and back, pixels in all. */
const pixelsKept = 2 ** 25

/** What was worked out, by the frame since which it holds; what was asked for longest ago gives way. */
export class RecentPatches {
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
    this.#pixels += pixelsOf(patches)
    for (const [oldest, dropped] of this.#kept) {
      if (this.#pixels <= pixelsKept || oldest === since) break
      this.#kept.delete(oldest)
      this.#pixels -= pixelsOf(dropped)
    }
    return patches
  }
}

function pixelsOf(patches: readonly Patch[]): number {
  return patches.reduce((sum, { mask }) => sum + mask.length, 0)
}
