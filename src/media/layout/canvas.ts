import type { OutputRatio } from '../../contract/catalog.ts'
import type { Size } from '../geometry.ts'

/** Quality levels of a result (contract 2, 4.8). */
type Quality = '720p' | '1080p'

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

/** How one axis of a picture is mapped to a slot: crop, scale, crop again, all in integer pixels. */
export interface AxisFit {
  /** First source pixel; even. */
  readonly start: number
  /** Number of source pixels. */
  readonly cropped: number
  /** Number of pixels after scaling. */
  readonly scaled: number
  /** First visible pixel after scaling. If it is odd, the second crop requires 4:4:4 chroma. */
  readonly offset: number
  /** Number of visible pixels. */
  readonly shown: number
}

interface FitAxisOptions {
  /** Pixels of the source along this axis. */
  readonly length: number
  /** The part to show, in source pixels; may be fractional. */
  readonly from: number
  readonly to: number
  /** Pixels of the result along this axis; even. */
  readonly shown: number
}

/**
 * Source pixels searched beyond each end of the requested part. A larger search hardly improves the fit and
 * scales more pixels.
 */
const searchPixels = 64

/** Position error in result pixels that is invisible. Below it, the fit that scales fewer pixels wins. */
const invisibleError = 0.02

/** Position error in result pixels from which cropping at odd pixels pays off. */
const visibleError = 0.1

/**
 * Returns the fit with the smallest position error, mostly a few hundredths of a pixel. Filters crop at
 * integer pixels, and 4:2:0 chroma requires even ones, while a centred crop starts anywhere. Cropping
 * slightly less before scaling and the rest afterwards yields many candidate pairs. Odd pixels are used if
 * every even fit has a visible error, for example when less than a pixel is cropped.
 */
export function fitAxis(wish: FitAxisOptions): AxisFit {
  const even = closestFit(wish, 2)
  return positionError(even, wish) < visibleError ? even : closestFit(wish, 1)
}

function closestFit(wish: FitAxisOptions, step: 1 | 2): AxisFit {
  let best: AxisFit = { start: 0, cropped: wish.length, scaled: wish.shown, offset: 0, shown: wish.shown }
  let least = Infinity
  for (const fit of candidateFits(wish, step)) {
    const score = Math.max(invisibleError, positionError(fit, wish)) + fit.scaled * 1e-9
    if (score < least) {
      least = score
      best = fit
    }
  }
  return best
}

/**
 * Yields fits that contain the requested part at about the requested scale. Scaled size and offset are
 * multiples of `step`.
 */
function* candidateFits({ length, from, to, shown }: FitAxisOptions, step: 1 | 2): Generator<AxisFit> {
  const ends = [
    ...evenNumbers(to, Math.min(length, to + searchPixels)),
    ...(to > length - searchPixels ? [length] : []),
  ]
  for (const start of evenNumbers(Math.max(0, from - searchPixels), from)) {
    for (const end of ends) {
      const taken = end - start
      for (const scaled of multiplesAround((taken * shown) / (to - from), step)) {
        for (const offset of multiplesAround(((from - start) * scaled) / taken, step)) {
          if (offset >= 0 && offset + shown <= scaled) yield { start, cropped: taken, scaled, offset, shown }
        }
      }
    }
  }
}

/** Returns the part of the source that a fit shows, in source pixels. */
export function shownPart({ start, cropped: taken, scaled, offset, shown }: AxisFit): {
  from: number
  to: number
} {
  return { from: start + (offset * taken) / scaled, to: start + ((offset + shown) * taken) / scaled }
}

/** Returns the largest distance of a fit's edges from their requested positions, in result pixels. */
export function positionError(fit: AxisFit, { from, to, shown }: FitAxisOptions): number {
  const part = shownPart(fit)
  return (Math.max(Math.abs(part.from - from), Math.abs(part.to - to)) * shown) / (to - from)
}

/** Returns the multiples of a step directly below and above a value. */
function multiplesAround(value: number, step: number): number[] {
  const below = step * Math.floor(value / step)
  return [below, below + step]
}

function evenNumbers(from: number, to: number): number[] {
  const first = 2 * Math.ceil(from / 2)
  const last = 2 * Math.floor(to / 2)
  return Array.from({ length: Math.max(0, (last - first) / 2 + 1) }, (_, index) => first + 2 * index)
}
