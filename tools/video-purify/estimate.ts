import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { InputOf } from '../../src/contract/operation.ts'
import { constantRate, hertz } from '../../src/media/frame-rate.ts'
import type { videoPurify } from './contract.ts'

export type PurifyInput = InputOf<typeof videoPurify>

/** Whether pictures are to be changed: not where text is only found, nor where the list is empty. */
export function treatsPicture({ phase, regions, regions_file_id }: PurifyInput): boolean {
  if (phase === 'detect') return false
  return phase === undefined || regions_file_id !== undefined || (regions ?? []).length > 0
}

/** Whether text is looked for. */
export function searchesText({ phase, purify_scope }: PurifyInput): boolean {
  return phase === 'detect' || (phase === undefined && purify_scope !== 'region')
}

/**
 * What two cores do: s at the start; pixels a second of whole pictures that are searched, that are blurred with their
 * coding, and that are coded and followed where something of them is filled; and of what is filled itself.
 */
const throughput = { start: 1, search: 200e6, blur: 60e6, follow: 22e6, fill: 1.5e6 }
/** Share of the picture that text takes, where it is not known yet what will be treated. */
const defaultTextShare = 0.05

/** A picture, and how long it lasts, s. */
interface EstimatedVideo {
  readonly video: VideoFacts
  readonly seconds: number
}

/** Seconds of work to expect on two cores. */
export function expectedSeconds(input: PurifyInput, { video, seconds }: EstimatedVideo): number {
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

/** Share of all pictures that is treated, where boxes say so: all of them, as if none lay over another. */
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
