import type { VideoFacts } from '../../contract/media-facts.ts'
import { constantRate, hertz } from '../frame-rate.ts'

/**
 * Measured on two cores. Pixels per second of whole frames: `search` for detection of text, `blur` and `follow` for
 * blurring and inpainting including coding. `fill`: inpainted pixels per second.
 */
const throughput = { search: 200e6, blur: 60e6, follow: 22e6, fill: 1.5e6 }

/** Share of the picture assumed to be treated before text is detected. */
export const assumedTextShare = 0.05

/** Returns the pixels of all frames of `seconds` of a video. */
export function framePixels(video: VideoFacts, seconds: number): number {
  return video.coded_width * video.coded_height * seconds * hertz(constantRate(video))
}

/** Returns the expected time of detecting text in frames on two cores, seconds. pixels: of all frames. */
export function textSearchSeconds(pixels: number): number {
  return pixels / throughput.search
}

/**
 * Returns the expected time of treating frames on two cores, seconds. pixels: of all frames; treatedShare: of these
 * pixels inside of regions, 0 to 1.
 */
export function treatmentSeconds(
  pixels: number,
  { treatment, treatedShare }: { readonly treatment: 'blur' | 'inpainting'; readonly treatedShare: number },
): number {
  return treatment === 'inpainting'
    ? pixels / throughput.follow + (treatedShare * pixels) / throughput.fill
    : pixels / throughput.blur
}
