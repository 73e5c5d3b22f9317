import type { Luma } from './luma.ts'

/** The brightness of the latest frames of a video. */
export interface LumaRing {
  /** Keeps the next frame's, from the beginning of its memory. */
  add(bytes: Uint8Array): void
  /** That of a frame; undefined where it is not kept any more, or has not come. */
  at(frame: number): Luma | undefined
  /** The first frame that is kept, and the one after the last. */
  readonly first: number
  readonly end: number
  /** Of so many frames one is kept. */
  readonly interval: number
}

interface LumaRingOptions {
  readonly capacity: number
  /** Of so many frames one is kept, and stands for those after it. */
  readonly interval: number
}

/** Keeps so many frames of a size, in memory that is used in turn. */
export function createLumaRing(
  { width, height }: { readonly width: number; readonly height: number },
  { capacity, interval: every }: LumaRingOptions,
): LumaRing {
  const places: Uint8Array[] = []
  let end = 0
  const first = () => every * Math.max(0, Math.ceil(end / every) - capacity)
  const placeOf = (frame: number) => Math.floor(frame / every) % capacity
  return {
    interval: every,
    add(bytes) {
      if (end % every === 0) {
        const place = (places[placeOf(end)] ??= new Uint8Array(width * height))
        place.set(bytes.subarray(0, place.length))
      }
      end += 1
    },
    at(frame) {
      if (frame < first() || frame >= end) return undefined
      const values = places[placeOf(frame)]
      return values && { width, height, values }
    },
    get first() {
      return first()
    },
    get end() {
      return end
    },
  }
}
