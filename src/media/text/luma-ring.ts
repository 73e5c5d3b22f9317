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
}

/** Keeps so many frames of a size, in memory that is used in turn. */
export function lumaRing(
  { width, height }: { readonly width: number; readonly height: number },
  capacity: number,
): LumaRing {
  const places: Uint8Array[] = []
  let end = 0
  return {
    add(bytes) {
      const place = (places[end % capacity] ??= new Uint8Array(width * height))
      place.set(bytes.subarray(0, place.length))
      end += 1
    },
    at(frame) {
      if (frame < 0 || frame < end - capacity || frame >= end) return undefined
      const values = places[frame % capacity]
      return values && { width, height, values }
    },
    get first() {
      return Math.max(0, end - capacity)
    },
    get end() {
      return end
    },
  }
}
