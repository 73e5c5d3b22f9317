import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import type { Area } from '../../media/clean/region.ts'
import { hertz } from '../../media/frame-rate.ts'
import type { PixelGrid } from '../../media/text/regions.ts'

/** Longest side of the pictures that are looked at, px. */
const longestSide = 960

/** Samples of a second of video. */
const samplesPerSecond = 2

/**
 * Time that is kept: the way back from a text's third sample, while some more are looked at. Of faster videos every
 * second frame is kept: a text may then be told from a frame before it shows, or to one after.
 */
export const keptSeconds = 4
const mostKeptRate = 60

/** An average may lie a little over the rate at which frames are spaced. */
const rateSlack = 0.01

/** The pixels that an area of a video is looked at in. */
export function gridOf({ width, height }: VideoFacts, area: Area): Omit<PixelGrid, 'rate'> {
  const [across, down] = [width * area.w, height * area.h]
  const scale = Math.min(2, longestSide / Math.max(across, down))
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2))
  return { width: even(across), height: even(down), area }
}

/** Of so many frames one is kept. */
export function keptEvery(rate: Rational): number {
  return Math.max(1, Math.ceil(hertz(rate) / mostKeptRate - rateSlack))
}

/** Frames from one sample to the next: such that samples are kept. */
export function stepOf(rate: Rational): number {
  const every = keptEvery(rate)
  return every * Math.max(1, Math.round(hertz(rate) / samplesPerSecond / every))
}
