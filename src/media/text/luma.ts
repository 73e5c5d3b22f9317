import type { Bounds } from '../geometry.ts'

/** Luma of a picture, 0 to 255, row by row. */
export interface Luma {
  readonly width: number
  readonly height: number
  readonly values: Uint8Array
}

/** A crop of a picture's luma, row by row; beyond the picture its edge pixels are repeated. */
export interface LumaCrop {
  /** Position of the crop in the picture, whole pixels. */
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** Crops a box, rounded outwards to whole pixels. */
export function cropLuma(luma: Luma, box: Bounds): LumaCrop {
  const left = Math.floor(box.left)
  const top = Math.floor(box.top)
  const width = Math.max(1, Math.ceil(box.right) - left)
  const height = Math.max(1, Math.ceil(box.bottom) - top)
  const values = new Float32Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const row = Math.min(luma.height - 1, Math.max(0, top + y)) * luma.width
    for (let x = 0; x < width; x += 1) {
      const column = Math.min(luma.width - 1, Math.max(0, left + x))
      values[y * width + x] = luma.values[row + column] ?? 0
    }
  }
  return { left, top, width, height, values }
}

/** Mean of crops of the same size, at the position of the first. */
export function meanCrop(crops: readonly [LumaCrop, ...LumaCrop[]]): LumaCrop {
  const [first] = crops
  const values = first.values.map(
    (_, index) => crops.reduce((sum, one) => sum + (one.values[index] ?? 0), 0) / crops.length,
  )
  return { ...first, values }
}

/** Pixel-wise difference of two crops of the same size. */
export function subtractCrop(one: LumaCrop, other: LumaCrop): LumaCrop {
  return { ...one, values: one.values.map((value, index) => value - (other.values[index] ?? 0)) }
}

/** Crops a crop further; returns it unchanged if the box is outside. */
export function cropAgain(part: LumaCrop, box: Bounds): LumaCrop {
  const left = Math.max(0, Math.floor(box.left) - part.left)
  const top = Math.max(0, Math.floor(box.top) - part.top)
  const right = Math.min(part.width, Math.ceil(box.right) - part.left)
  const bottom = Math.min(part.height, Math.ceil(box.bottom) - part.top)
  if (right <= left || bottom <= top) return part
  const [width, height] = [right - left, bottom - top]
  const values = new Float32Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const from = (top + y) * part.width + left
    values.set(part.values.subarray(from, from + width), y * width)
  }
  return { left: part.left + left, top: part.top + top, width, height, values }
}

/** Ring buffer of the luma of a video's latest frames. */
export interface LumaRing {
  /** Adds the next frame; `bytes` starts with its luma plane. */
  add(bytes: Uint8Array): void
  /** Luma of a frame; undefined if it is no longer stored or not added yet. */
  at(frame: number): Luma | undefined
  /** First stored frame, and the frame after the last. */
  readonly first: number
  readonly end: number
  /** One of this many frames is stored. */
  readonly interval: number
}

interface LumaRingOptions {
  readonly capacity: number
  /** One of this many frames is stored, and represents those after it. */
  readonly interval: number
}

/** Creates a ring buffer for `capacity` frames of one size. */
export function createLumaRing(
  { width, height }: { readonly width: number; readonly height: number },
  { capacity, interval: every }: LumaRingOptions,
): LumaRing {
  const slots: Uint8Array[] = []
  let end = 0
  const first = () => every * Math.max(0, Math.ceil(end / every) - capacity)
  const slotIndex = (frame: number) => Math.floor(frame / every) % capacity
  return {
    interval: every,
    add(bytes) {
      if (end % every === 0) {
        const slot = (slots[slotIndex(end)] ??= new Uint8Array(width * height))
        slot.set(bytes.subarray(0, slot.length))
      }
      end += 1
    },
    at(frame) {
      if (frame < first() || frame >= end) return undefined
      const values = slots[slotIndex(frame)]
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
