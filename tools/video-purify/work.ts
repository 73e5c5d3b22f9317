import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { InputOf } from '../../src/contract/operation.ts'
import { rateOf } from '../../src/media/clean/rate.ts'
import { hertz } from '../../src/media/nominal-rate.ts'
import type { videoPurify } from './contract.ts'

export type PurifyInput = InputOf<typeof videoPurify>

/** Whether pictures are to be changed: not where text is only found, nor where the list is empty. */
export function isTreated({ phase, regions, regions_file_id }: PurifyInput): boolean {
  if (phase === 'detect') return false
  return phase === undefined || regions_file_id !== undefined || (regions ?? []).length > 0
}

/** Whether text is looked for. */
export function isSearched({ phase, purify_scope }: PurifyInput): boolean {
  return phase === 'detect' || (phase === undefined && purify_scope !== 'region')
}

/** What two cores do: s at the start; pixels a second that are searched, blurred with their coding, and filled. */
const measured = { start: 1, search: 200e6, blur: 60e6, fill: 8e6 }

/** A picture, and how long it lasts, s. */
interface Length {
  readonly video: VideoFacts
  readonly seconds: number
}

/** Seconds of work to expect on two cores. */
export function expectedSeconds(input: PurifyInput, { video, seconds }: Length): number {
  const pixels = video.coded_width * video.coded_height * seconds * hertz(rateOf(video))
  const treat = input.purify_func_type === 'raft' ? measured.fill : measured.blur
  const spent =
    measured.start +
    (isSearched(input) ? pixels / measured.search : 0) +
    (isTreated(input) ? pixels / treat : 0)
  return Math.round(spent * 10) / 10
}
