import type { OutputRatio } from '../../contract/catalog.ts'
import type { Size } from '../geometry.ts'

/** Quality of a result: the length of its shorter side (contract 2, 4.8). */
type Quality = '720p' | '1080p'

/** Returns the size of a result, pixels. */
export function canvasSize(ratio: OutputRatio, quality: Quality): Size {
  const short = quality === '720p' ? 720 : 1080
  const long = (short / 9) * 16
  if (ratio === '1:1') return { width: short, height: short }
  return ratio === '9:16' ? { width: short, height: long } : { width: long, height: short }
}

/**
 * Returns the gap between slots, pixels: a fraction of the shorter side of the canvas, rounded to an even number
 * because of 4:2:0 chroma.
 */
export function gapPixels({ width, height }: Size, gapRatio: number): number {
  return 2 * Math.round((gapRatio * Math.min(width, height)) / 2)
}

/**
 * Returns the largest size with an aspect ratio (width / height) inside a slot, pixels. Its sides differ from those
 * of the slot by multiples of 4, so that the picture is centred exactly at even positions.
 */
export function containedSize(slot: Size, aspect: number): Size {
  const within = (side: number, exact: number) =>
    Math.max(side % 4 || 4, side - 4 * Math.round(Math.max(0, side - exact) / 4))
  return {
    width: within(slot.width, slot.height * aspect),
    height: within(slot.height, slot.width / aspect),
  }
}

/** Mapping of one axis of a picture to a slot: crop, scale and crop again, all in integer pixels. */
export interface AxisFit {
  /** First source pixel after the first crop; even. */
  readonly start: number
  /** Number of source pixels after the first crop. */
  readonly cropped: number
  /** Number of pixels after scaling. */
  readonly scaled: number
  /** First visible pixel after scaling. If it is odd, the second crop requires 4:4:4 chroma. */
  readonly offset: number
  /** Number of pixels after the second crop. */
  readonly shown: number
}

interface FitAxisOptions {
  /** Length of the source along this axis, pixels. */
  readonly length: number
  /** Start of the visible part, in source pixels; may be fractional. */
  readonly from: number
  /** End of the visible part, in source pixels; may be fractional. */
  readonly to: number
  /** Length of the result along this axis, pixels; even. */
  readonly shown: number
}

/**
 * Number of source pixels searched beyond each end of the requested part. A larger search hardly improves the fit
 * and scales more pixels.
 */
const searchPixels = 64

/** Position error that is invisible, result pixels. Below it, the fit that scales fewer pixels wins. */
const invisibleError = 0.02

/** Position error from which cropping at odd pixels is worth 4:4:4 chroma, result pixels. */
const visibleError = 0.1

/**
 * Returns the fit with the smallest position error, mostly a few hundredths of a pixel.
 *
 * A centred crop may start at a fraction of a pixel, but filters crop at integer pixels, and 4:2:0 chroma requires
 * even ones. Cropping a little less before scaling, and the remainder afterwards, yields many candidates. Odd pixels
 * are used if every even fit has a visible error, for example if less than a pixel is cropped.
 */
export function fitAxis(options: FitAxisOptions): AxisFit {
  const even = closestFit(options, 2)
  return positionError(even, options) < visibleError ? even : closestFit(options, 1)
}

/** Returns the best fit whose scaled size and offset are multiples of `step`. */
function closestFit(options: FitAxisOptions, step: 1 | 2): AxisFit {
  let best: AxisFit = {
    start: 0,
    cropped: options.length,
    scaled: options.shown,
    offset: 0,
    shown: options.shown,
  }
  let bestScore = Infinity
  for (const fit of candidateFits(options, step)) {
    const score = Math.max(invisibleError, positionError(fit, options)) + fit.scaled * 1e-9
    if (score < bestScore) {
      bestScore = score
      best = fit
    }
  }
  return best
}

/**
 * Yields fits that contain the requested part at nearly the requested scale. Scaled size and offset are multiples
 * of `step`.
 */
function* candidateFits({ length, from, to, shown }: FitAxisOptions, step: 1 | 2): Generator<AxisFit> {
  const ends = [
    ...evenNumbers(to, Math.min(length, to + searchPixels)),
    ...(to > length - searchPixels ? [length] : []),
  ]
  for (const start of evenNumbers(Math.max(0, from - searchPixels), from)) {
    for (const end of ends) {
      const cropped = end - start
      for (const scaled of multiplesAround((cropped * shown) / (to - from), step)) {
        for (const offset of multiplesAround(((from - start) * scaled) / cropped, step)) {
          if (offset >= 0 && offset + shown <= scaled) yield { start, cropped, scaled, offset, shown }
        }
      }
    }
  }
}

/** Returns the part of the source that a fit shows, in source pixels. */
export function shownPart({ start, cropped, scaled, offset, shown }: AxisFit): {
  from: number
  to: number
} {
  return { from: start + (offset * cropped) / scaled, to: start + ((offset + shown) * cropped) / scaled }
}

/** Returns the largest distance of a fit's edges from their requested positions, in result pixels. */
export function positionError(fit: AxisFit, { from, to, shown }: FitAxisOptions): number {
  const part = shownPart(fit)
  return (Math.max(Math.abs(part.from - from), Math.abs(part.to - to)) * shown) / (to - from)
}

/** Returns the largest multiple of a step that is not above a value, and the next one. */
function multiplesAround(value: number, step: number): number[] {
  const below = step * Math.floor(value / step)
  return [below, below + step]
}

/** Returns the even numbers from `from` to `to`, ascending. */
function evenNumbers(from: number, to: number): number[] {
  const first = 2 * Math.ceil(from / 2)
  const last = 2 * Math.floor(to / 2)
  return Array.from({ length: Math.max(0, (last - first) / 2 + 1) }, (_, index) => first + 2 * index)
}
