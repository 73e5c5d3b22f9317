import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { InputOf } from '../../src/contract/operation.ts'
import {
  assumedTextShare,
  framePixels,
  textSearchSeconds,
  treatmentSeconds,
} from '../../src/media/clean/cleaning-seconds.ts'
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

/** Time until the work starts, seconds. */
const startSeconds = 1

/** A video and its duration in seconds. */
interface EstimatedVideo {
  readonly video: VideoFacts
  readonly seconds: number
}

/** Returns the expected processing time on two cores, in seconds. */
export function purifySeconds(input: PurifyInput, { video, seconds }: EstimatedVideo): number {
  const pixels = framePixels(video, seconds)
  const treatment = input.purify_func_type === 'raft' ? 'inpainting' : 'blur'
  const spent =
    startSeconds +
    (searchesText(input) ? textSearchSeconds(pixels) : 0) +
    (treatsPicture(input)
      ? treatmentSeconds(pixels, { treatment, treatedShare: treatedShare(input, seconds) })
      : 0)
  return Math.round(spent * 10) / 10
}

/** Returns the share of all pixels to treat, ignoring overlaps between regions. */
function treatedShare({ regions }: PurifyInput, seconds: number): number {
  if (regions === undefined) return assumedTextShare
  const parts = regions.map(({ w, h, start = 0, end = seconds }) => {
    const lasts = Math.max(0, Math.min(end, seconds) - start)
    return (w * h * lasts) / seconds
  })
  return Math.min(
    1,
    parts.reduce((sum, part) => sum + part, 0),
  )
}
