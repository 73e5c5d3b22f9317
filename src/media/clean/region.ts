import type { Bounds, Size } from '../geometry.ts'

/** A rectangle as shares of the picture as it is displayed, 0 to 1. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** An area over a time of the video, half-open [start, end), s from its start. */
export interface Region extends Area {
  readonly start: number
  readonly end: number
}

/** A region that text was found in. */
export interface FoundRegion extends Region {
  /** How text-like it is, 0 to 1. */
  readonly score: number
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
export function pixelBox({ x, y, w, h }: Area, size: Size, kept: Size = size): Bounds | undefined {
  const [left, right] = pixelRange(x, x + w, size.width)
  const [top, bottom] = pixelRange(y, y + h, size.height)
  const box = { left, top, right: Math.min(right, kept.width), bottom: Math.min(bottom, kept.height) }
  return box.left < box.right && box.top < box.bottom ? box : undefined
}

function pixelRange(from: number, to: number, side: number): [number, number] {
  const first = Math.min(side - 1, Math.max(0, Math.floor(from * side + edgeSlack)))
  return [first, Math.max(first + 1, Math.ceil(to * side - edgeSlack))]
}
