import type { Rational } from '../../contract/media-facts.ts'
import { timeTolerance } from '../frame-rate.ts'
import type { Area, Region } from './region.ts'

/** A rectangle of whole pixels; `right` and `bottom` lie outside it. */
export interface Bounds {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Size of a picture as it is displayed, in samples; a side may be odd. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The part of a picture that can be coded in 4:2:0: an odd last column or row is left off. */
export function evenSize({ width, height }: Size): Size {
  return { width: width - (width % 2), height: height - (height % 2) }
}

/** Shares are written as decimals: what an edge may lie over a pixel's without taking the next one, pixels. */
const edgeSlack = 0.01

/**
 * The pixels an area touches, at least one; undefined where none lies within the part that is kept. So an edge that passes through
 * a pixel takes all of it: of what is removed nothing remains, and of what is protected nothing changes.
 */
export function boxOf({ x, y, w, h }: Area, size: Size, kept: Size = size): Bounds | undefined {
  const [left, right] = pixels(x, x + w, size.width)
  const [top, bottom] = pixels(y, y + h, size.height)
  const box = { left, top, right: Math.min(right, kept.width), bottom: Math.min(bottom, kept.height) }
  return box.left < box.right && box.top < box.bottom ? box : undefined
}

function pixels(from: number, to: number, side: number): [number, number] {
  const first = Math.min(side - 1, Math.max(0, Math.floor(from * side + edgeSlack)))
  return [first, Math.max(first + 1, Math.ceil(to * side - edgeSlack))]
}

/** The frames of a constant rate that begin in a region's time, the last one excluded; frame k begins at k / rate. */
export function framesBetween({ start, end }: Pick<Region, 'start' | 'end'>, { num, den }: Rational) {
  const frame = (seconds: number) => Math.max(0, Math.ceil(((seconds - timeTolerance) * num) / den))
  return { first: frame(start), end: frame(end) }
}
