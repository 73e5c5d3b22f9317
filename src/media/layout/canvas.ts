import type { OutputRatio } from '../../contract/catalog.ts'
import type { Size } from '../geometry.ts'

/** Quality levels of a result (contract 2, 4.8). */
export type Quality = '720p' | '1080p'

/** Returns the size of a result, pixels. The quality is the length of its shorter side. */
export function canvasSize(ratio: OutputRatio, quality: Quality): Size {
  const short = quality === '720p' ? 720 : 1080
  const long = (short / 9) * 16
  if (ratio === '1:1') return { width: short, height: short }
  return ratio === '9:16' ? { width: short, height: long } : { width: long, height: short }
}

/**
 * Returns the gap in pixels: a fraction of the shorter side, rounded to an even number as 4:2:0 pictures
 * require.
 */
export function gapPixels({ width, height }: Size, gapRatio: number): number {
  return 2 * Math.round((gapRatio * Math.min(width, height)) / 2)
}

/**
 * Returns the largest size of an aspect ratio (width / height) inside a slot. Its sides differ from the
 * slot's by multiples of 4, so that the picture can be centred exactly at even positions.
 */
export function containedSize(slot: Size, aspect: number): Size {
  const within = (side: number, exact: number) =>
    Math.max(side % 4 || 4, side - 4 * Math.round(Math.max(0, side - exact) / 4))
  return {
    width: within(slot.width, slot.height * aspect),
    height: within(slot.height, slot.width / aspect),
  }
}
