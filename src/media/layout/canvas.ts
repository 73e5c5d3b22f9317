import type { OutputRatio } from '../../contract/catalog.ts'
import type { Size } from '../geometry.ts'

/** Sizes of a result (contract 2, 4.8). */
export type Quality = '720p' | '1080p'

/** Size of a result: the quality names its shorter side. */
export function canvasSize(ratio: OutputRatio, quality: Quality): Size {
  const short = quality === '720p' ? 720 : 1080
  const long = (short / 9) * 16
  if (ratio === '1:1') return { width: short, height: short }
  return ratio === '9:16' ? { width: short, height: long } : { width: long, height: short }
}

/** Gap in pixels: a share of the shorter side, rounded to an even number as 4:2:0 pictures need. */
export function gapPixels({ width, height }: Size, gapRatio: number): number {
  return 2 * Math.round((gapRatio * Math.min(width, height)) / 2)
}

/**
 * Largest picture of an aspect (width by height) inside a slot, its sides off the slot's by multiples of 4:
 * then it stands exactly in the middle, at even places.
 */
export function containedSize(slot: Size, aspect: number): Size {
  const within = (side: number, exact: number) =>
    Math.max(side % 4 || 4, side - 4 * Math.round(Math.max(0, side - exact) / 4))
  return {
    width: within(slot.width, slot.height * aspect),
    height: within(slot.height, slot.width / aspect),
  }
}
