import type { Bounds, Size } from '../geometry.ts'

/** A rectangle as fractions (0 to 1) of the picture as displayed. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** An area during a time span in seconds from the start of the file, end exclusive. */
export interface Region extends Area {
  readonly start: number
  readonly end: number
}

/** A region in which text was detected. */
export interface FoundRegion extends Region {
  /** Confidence that the region contains text, 0 to 1. */
  readonly score: number
}

/** Returns the size rounded down to even sides, as 4:2:0 coding requires. An odd last row or column is cut off. */
export function evenSize({ width, height }: Size): Size {
  return { width: width - (width % 2), height: height - (height % 2) }
}

/**
 * Tolerance of edges given as rounded decimals, in pixels: an edge may exceed a pixel by this much without covering the
 * next.
 */
const edgeSlack = 0.01

/**
 * Returns the pixels that an area touches, at least one; undefined if none is inside `kept`. A partially covered pixel
 * counts as covered: nothing of a removed area remains visible, and nothing of a protected area changes.
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
