import type { Frame, Patch } from '../frame.ts'
import type { Picture } from './points.ts'
import { hiddenIn } from './masks.ts'
import type { Pose } from './motion.ts'
import type { Rect } from '../../geometry.ts'

/** A part of a frame: its brightness, and both axes of colour at half the size. */
export interface Crop extends Picture {
  readonly blue: Uint8Array
  readonly red: Uint8Array
}

/** What is kept of a frame. */
export interface View extends Pose {
  readonly index: number
  /** When it shows, in ticks. */
  readonly time: number
  /** How far what it shows can be taken for background, up to 1. */
  readonly trust: number
  readonly patches: readonly Patch[]
  readonly crops: readonly Crop[]
}

/** Copies a rectangle whose place and sides are even out of a frame. */
export function cutOut({ width, height, bytes }: Frame, rect: Rect, patches: readonly Patch[]): Crop {
  const { x, y } = rect
  const data = copied(bytes, width, rect)
  const small = { x: x / 2, y: y / 2, width: rect.width / 2, height: rect.height / 2 }
  const colour = bytes.subarray(width * height)
  const blue = copied(colour, width / 2, small)
  const red = copied(colour.subarray((width * height) / 4), width / 2, small)
  return { x, y, width: rect.width, height: rect.height, data, blue, red, hidden: hiddenIn(patches, rect) }
}

function copied(plane: Uint8Array, stride: number, { x, y, width, height }: Rect): Uint8Array {
  const copy = new Uint8Array(width * height)
  for (let row = 0; row < height; row += 1) {
    const from = (y + row) * stride + x
    copy.set(plane.subarray(from, from + width), row * width)
  }
  return copy
}

/** Bytes that a view holds for itself. */
export function bytesOf({ crops }: View): number {
  return crops.reduce((sum, { data }) => sum + data.length * 1.5, 0)
}

/** What a view holds together with others of the same patches. */
export function sharedOf({ crops, patches }: View): readonly Uint8Array[] {
  return [...crops.map(({ hidden }) => hidden), ...patches.map(({ mask }) => mask)]
}
