import type { StagedFile } from '../../src/contract/operation.ts'
import { uprightSize } from '../../src/media/geometry.ts'
import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { evenSize } from '../../src/media/clean/region.ts'
import type { KeptContent } from '../../src/engines/clean/kept-streams.ts'
import type { EncodingQuality } from '../../src/engines/clean/quality.ts'

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
    regions === 1 ? '1 region of briefly shown text was' : `${regions} regions of briefly shown text were`
  return [`${those} omitted: ${why}`]
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
    ...(video.alpha ? ['transparent areas were placed on black'] : []),
    ...(/^(yuvj?420p|nv12|nv21|yuva420p)$/.test(pixels)
      ? []
      : [`the pixel format was converted from ${pixels} to yuv420p`]),
    ...(odd.length > 0
      ? [`the last ${odd.join(' and ')} ${odd.length > 1 ? 'were' : 'was'} cropped: H.264 needs even sides`]
      : []),
    ...(video.variable_rate
      ? [`the variable frame rate was converted to a constant ${rate.num}/${rate.den} per second`]
      : []),
    ...(video.rotation === 0 ? [] : [`the picture was rotated upright (${video.rotation} degrees)`]),
    ...(quality.decibels !== undefined && quality.decibels < targets.decibels
      ? [
          `untreated pixels match the source at ${quality.decibels.toFixed(1)} dB instead of ${targets.decibels}: ` +
            'its grain would need a larger file',
        ]
      : []),
    ...(after > targets.size * before
      ? [
          `the file is ${(after / before).toFixed(1)} times as large as its source, which is compressed more tightly`,
        ]
      : []),
    ...kept.lossNotes,
    ...kept.droppedStreams.map((stream) => `a stream could not be kept: ${stream}`),
  ]
}
