import type { StagedFile } from '../../src/contract/operation.ts'
import { uprightSize, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { evenSize } from '../../src/media/clean/region.ts'
import type { KeptContent } from './kept-streams.ts'
import type { EncodingQuality } from './quality.ts'

/** Promised fidelity of untreated pixels, in dB (luma PSNR), and size relative to the source. */
const targets = { decibels: 45, size: 1.5 }

/** Properties of a cleaned video. */
interface CleanedVideo {
  readonly kept: KeptContent
  readonly quality: EncodingQuality
  /** In bytes. */
  readonly size: number
}

/** Returns a sentence about omitted regions and how to avoid it; none if there are none. */
export function omittedRegionsNote(regions: number, why: string): string[] {
  if (regions === 0) return []
  const those =
    regions === 1
      ? '1 region of text that shows briefly was'
      : `${regions} regions of text that show briefly were`
  return [`${those} left out, as ${why}`]
}

/** Returns sentences about changes to the video beyond the request. */
export function describeChanges(
  { name, size: before }: StagedFile,
  { video, rate }: Footage,
  { kept, quality, size: after }: CleanedVideo,
): string[] {
  const size = uprightSize(video)
  const even = evenSize(size)
  const odd = [
    ...(size.height === even.height ? [] : ['row']),
    ...(size.width === even.width ? [] : ['column']),
  ]
  const pixels = video.pixel_format
  return [
    ...(video.hdr ? [`${name} is HDR; it was tone-mapped to standard range (bt709)`] : []),
    ...(video.alpha ? ['what was transparent lies on black'] : []),
    ...(/^(yuvj?420p|nv12|nv21|yuva420p)$/.test(pixels)
      ? []
      : [`the picture was ${pixels} and is yuv420p now`]),
    ...(odd.length > 0
      ? [`the last ${odd.join(' and ')} ${odd.length > 1 ? 'were' : 'was'} left off: H.264 needs even sides`]
      : []),
    ...(video.variable_rate
      ? [`the frame rate varied and is constant now: ${rate.num}/${rate.den} a second`]
      : []),
    ...(video.rotation === 0 ? [] : [`the picture was turned upright (${video.rotation} degrees)`]),
    ...(quality.decibels !== undefined && quality.decibels < targets.decibels
      ? [
          `what was not treated is as near as ${quality.decibels.toFixed(1)} dB to the source, not ${targets.decibels}: ` +
            'its grain is more than a file of such a size holds',
        ]
      : []),
    ...(after > targets.size * before
      ? [`the file is ${(after / before).toFixed(1)} times as large as its source, whose coding is tighter`]
      : []),
    ...kept.lost,
    ...kept.left.map((stream) => `a stream could not be kept: ${stream}`),
  ]
}
