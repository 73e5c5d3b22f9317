import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { InputOf } from '../../src/contract/operation.ts'
import { constantRate, hertz } from '../../src/media/frame-rate.ts'
import type { videoPurify } from './contract.ts'

export type PurifyInput = InputOf<typeof videoPurify>

/** Whether the request changes the picture: not with phase detect or an empty list. */
export function treatsPicture({ phase, regions, regions_file_id }: PurifyInput): boolean {
  if (phase === 'detect') return false
  return phase === undefined || regions_file_id !== undefined || (regions ?? []).length > 0
}

/** Whether the request detects text. */
export function searchesText({ phase, purify_scope }: PurifyInput): boolean {
  return phase === 'detect' || (phase === undefined && purify_scope !== 'region')
}

/**
 * Measured on two cores. `start`: seconds. Pixels per second of whole frames: `search` for detection, `blur` and
 * `follow` for blurring and inpainting including coding. `fill`: inpainted pixels per second.
 */
const throughput = { start: 1, search: 200e6, blur: 60e6, follow: 22e6, fill: 1.5e6 }
/** Share of the picture assumed to be treated before text is detected. */
const defaultTextShare = 0.05

/** A video and its duration in seconds. */
interface EstimatedVideo {
  readonly video: VideoFacts
  readonly seconds: number
}

/** Returns the expected processing time on two cores, in seconds. */
export function purifySeconds(input: PurifyInput, { video, seconds }: EstimatedVideo): number {
  const pixels = video.coded_width * video.coded_height * seconds * hertz(constantRate(video))
  const isFilled = input.purify_func_type === 'raft'
  const treatment = isFilled
    ? pixels / throughput.follow + (treatedShare(input, seconds) * pixels) / throughput.fill
    : pixels / throughput.blur
  const spent =
    throughput.start +
    (searchesText(input) ? pixels / throughput.search : 0) +
    (treatsPicture(input) ? treatment : 0)
  return Math.round(spent * 10) / 10
}

/** Returns the share of all pixels to treat, ignoring overlaps between regions. */
function treatedShare({ regions }: PurifyInput, seconds: number): number {
  if (regions === undefined) return defaultTextShare
  const parts = regions.map(({ w, h, start = 0, end = seconds }) => {
    const lasts = Math.max(0, Math.min(end, seconds) - start)
    return (w * h * lasts) / seconds
  })
  return Math.min(
    1,
    parts.reduce((sum, part) => sum + part, 0),
  )
}
