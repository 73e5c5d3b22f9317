import { MediaError } from '../../contract/errors.ts'
import type { GtrkClip } from './gtrk.ts'
import { clipTolerance } from './timeline.ts'

/** A clip and its path in the request. */
interface RequestClip {
  readonly clip: GtrkClip
  readonly at: string
}

/**
 * Checks the times of a clip for consistency, with a tolerance of one output frame. Yields a 6016 per
 * violation.
 */
export function* clipErrors({ clip, at }: RequestClip, rate: number): Generator<MediaError> {
  const { track_st, track_ed, duration, speed, clip_st, clip_ed } = clip
  const frame = 1 / rate + clipTolerance
  const lasts = track_ed - track_st
  if (Math.abs(duration - lasts) > frame) {
    yield new MediaError(
      6016,
      `${at}.duration: ${formatSeconds(duration)} s, but from track_st to track_ed it is ${formatSeconds(lasts)} s`,
      { hint: `Give "duration": ${formatSeconds(lasts)}, or other track times.` },
    )
  }
  if (clip.clip_id === '' || clip_st === undefined || clip_ed === undefined) return
  const end = clip_st + lasts * speed
  // The tolerance is one output frame, or the source time that passes in one.
  if (Math.abs(clip_ed - end) <= frame * Math.max(1, speed)) return
  yield new MediaError(
    6016,
    `${at}.clip_ed: ${formatSeconds(clip_ed)} s, but clip_st ${formatSeconds(clip_st)} + duration ${formatSeconds(lasts)} x speed ${speed} is ${formatSeconds(end)} s`,
    { hint: `Give "clip_ed": ${formatSeconds(end)}, or change the track times or the speed.` },
  )
}

/**
 * Checks that clips of one track, sorted by start and including gaps, do not overlap. Yields a 6016 per
 * overlap.
 */
export function* orderErrors(clips: readonly RequestClip[]): Generator<MediaError> {
  for (const [index, { clip, at }] of clips.entries()) {
    const before = clips[index - 1]
    if (!before || clip.track_st >= before.clip.track_ed - clipTolerance) continue
    yield new MediaError(
      6016,
      `${at}.track_st: it starts at ${formatSeconds(clip.track_st)} s, before ${before.at} ends at ${formatSeconds(before.clip.track_ed)} s`,
      { hint: 'Move or shorten one of them: clips of one track must not overlap.' },
    )
  }
}

function formatSeconds(seconds: number): string {
  return String(Math.round(seconds * 1000) / 1000)
}
