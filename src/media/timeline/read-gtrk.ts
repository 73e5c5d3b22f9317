import { MediaError } from '../../contract/errors.ts'
import { summarizeList } from '../../contract/format.ts'
import {
  clipTolerance,
  maxAudibleSpeed,
  maxOutputSeconds,
  type Timeline,
  type TimelineClip,
} from './timeline.ts'

/** A clip of a gtrk v1 track with defaults applied. Times are seconds. A gap has an empty `clip_id`. */
export interface GtrkClip {
  readonly clip_id: string
  readonly material?: string | undefined
  readonly clip_st?: number | undefined
  readonly clip_ed?: number | undefined
  readonly track_st: number
  readonly track_ed: number
  readonly duration: number
  readonly speed: number
  readonly keep_pitch: boolean
}

/** The rendered fields of a gtrk v1 timeline (contract 2, 2.3 and 4.3). */
export interface Gtrk {
  readonly video_size: readonly number[]
  readonly video_rate: number
  readonly duration?: number | undefined
  readonly video_track: readonly {
    readonly track_index: number
    readonly muted: boolean
    readonly track_timeline: readonly (GtrkClip & { readonly muted?: boolean | undefined })[]
  }[]
  readonly audio_track: readonly {
    readonly track_index: number
    readonly volume: number
    readonly track_timeline: readonly (GtrkClip & { readonly volume?: number | undefined })[]
  }[]
}

/** The clips of one track, including gaps and muted clips. */
interface GtrkTrack {
  /** Its path in the request. */
  readonly requestPath: string
  readonly clips: readonly { readonly clip: GtrkClip; readonly volume: number }[]
}

/**
 * Parses a gtrk v1 timeline. Uses the picture of the base track only, checks every clip rule and infers a
 * missing duration. Throws 6016 with the paths of all violations.
 */
export function readGtrk(gtrk: Gtrk): Timeline {
  const { video_size, video_rate: rate } = gtrk
  const base = baseTrack(gtrk)
  const heard = gtrk.audio_track.map(({ volume, track_timeline }, index) => ({
    at: `audio_track[${index}]`,
    clips: track_timeline.map((clip) => ({ clip, volume: clip.volume ?? volume })),
  }))
  const tracks = [base, ...heard].map(locateClips)
  throwCombined(tracks.flatMap((clips) => trackErrors(clips, rate)))
  const [picture, ...others] = tracks.map(timelineClips)
  const seconds = outputSeconds(gtrk, [base, ...heard])
  return {
    width: video_size[0] ?? 0,
    height: video_size[1] ?? 0,
    rate,
    seconds,
    frames: Math.round(seconds * rate),
    picture: picture ?? [],
    sound: [picture ?? [], ...others]
      .map((clips) => clips.filter(({ volume, speed }) => volume > 0 && speed <= maxAudibleSpeed))
      .filter((clips) => clips.length > 0),
  }
}

/** Returns the video track with the lowest index, the first of equals, or an empty track if there is none. */
function baseTrack({ video_track }: Gtrk): GtrkTrack {
  const lowest = video_track.reduce((least, { track_index }) => Math.min(least, track_index), Infinity)
  const index = video_track.findIndex(({ track_index }) => track_index === lowest)
  const track = video_track[index]
  return {
    requestPath: `video_track[${index}]`,
    clips: (track?.track_timeline ?? []).map((clip) => ({
      clip,
      volume: (clip.muted ?? track?.muted) ? 0 : 1,
    })),
  }
}

interface LocatedClip {
  readonly clip: GtrkClip
  readonly volume: number
  /** Its path in the request. */
  readonly requestPath: string
}

/** Returns the clips of a track, sorted by start. */
function locateClips({ requestPath: at, clips }: GtrkTrack): LocatedClip[] {
  return clips
    .map(({ clip, volume }, index) => ({ clip, volume, at: `${at}.track_timeline[${index}]` }))
    .toSorted((one, other) => one.clip.track_st - other.clip.track_st)
}

function trackErrors(placed: readonly LocatedClip[], rate: number): MediaError[] {
  return [...placed.flatMap((one) => [...clipErrors(one, rate)]), ...orderErrors(placed)]
}

/** Returns the clips that are not gaps. */
function timelineClips(placed: readonly LocatedClip[]): TimelineClip[] {
  return placed.flatMap(({ clip, volume, requestPath: at }) => {
    const { clip_id, material, clip_st, clip_ed } = clip
    if (clip_id === '' || material === undefined || clip_st === undefined || clip_ed === undefined) return []
    return [
      {
        at,
        material,
        source: { from: clip_st, to: clip_ed },
        track: { from: clip.track_st, to: clip.track_ed },
        speed: clip.speed,
        keepPitch: clip.keep_pitch,
        volume,
      },
    ]
  })
}

function outputSeconds({ duration, video_rate }: Gtrk, tracks: readonly GtrkTrack[]): number {
  const ends = tracks.flatMap(({ clips }) => clips.map(({ clip }) => clip.track_ed))
  const asked = duration ?? ends.reduce((latest, end) => Math.max(latest, end), 0)
  // Sums of times contain rounding errors, which rounding to microseconds removes.
  const seconds = Math.round(asked * 1e6) / 1e6
  if (Math.round(seconds * video_rate) === 0) {
    throw new MediaError(
      6016,
      `duration: nothing to render, ${seconds} s hold no frame at ${video_rate} frames a second`,
      {
        hint: 'Put a clip into video_track or audio_track, or give a duration of at least a frame for black and silence.',
      },
    )
  }
  if (seconds <= maxOutputSeconds) return seconds
  throw new MediaError(
    6016,
    `duration: the output would last ${(asked / 3600).toFixed(2)} hours, 6 are the most`,
    {
      hint: 'Render it in parts of at most 21600 s, each a timeline of its own. Times are seconds.',
    },
  )
}

/** A clip and its path in the request. */
interface RequestClip {
  readonly clip: GtrkClip
  readonly requestPath: string
}

/**
 * Checks the times of a clip for consistency, with a tolerance of one output frame. Yields a 6016 per
 * violation.
 */
function* clipErrors({ clip, requestPath: at }: RequestClip, rate: number): Generator<MediaError> {
  const { track_st, track_ed, duration, speed, clip_st, clip_ed } = clip
  const frame = 1 / rate + clipTolerance
  const lasts = track_ed - track_st
  if (Math.abs(duration - lasts) > frame) {
    yield new MediaError(
      6016,
      `${at}.duration: ${roundedSeconds(duration)} s, but from track_st to track_ed it is ${roundedSeconds(lasts)} s`,
      { hint: `Give "duration": ${roundedSeconds(lasts)}, or other track times.` },
    )
  }
  if (clip.clip_id === '' || clip_st === undefined || clip_ed === undefined) return
  const end = clip_st + lasts * speed
  // The tolerance is one output frame, or the source time that passes in one.
  if (Math.abs(clip_ed - end) <= frame * Math.max(1, speed)) return
  yield new MediaError(
    6016,
    `${at}.clip_ed: ${roundedSeconds(clip_ed)} s, but clip_st ${roundedSeconds(clip_st)} + duration ${roundedSeconds(lasts)} x speed ${speed} is ${roundedSeconds(end)} s`,
    { hint: `Give "clip_ed": ${roundedSeconds(end)}, or change the track times or the speed.` },
  )
}

/**
 * Checks that clips of one track, sorted by start and including gaps, do not overlap. Yields a 6016 per
 * overlap.
 */
function* orderErrors(clips: readonly RequestClip[]): Generator<MediaError> {
  for (const [index, { clip, requestPath: at }] of clips.entries()) {
    const before = clips[index - 1]
    if (!before || clip.track_st >= before.clip.track_ed - clipTolerance) continue
    yield new MediaError(
      6016,
      `${at}.track_st: it starts at ${roundedSeconds(clip.track_st)} s, before ${before.requestPath} ends at ${roundedSeconds(before.clip.track_ed)} s`,
      { hint: 'Move or shorten one of them: clips of one track must not overlap.' },
    )
  }
}

function roundedSeconds(seconds: number): string {
  return String(Math.round(seconds * 1000) / 1000)
}

/** Maximum number of errors listed in one message. */
const maxListedErrors = 20

/** Throws one error that combines all errors with the code of the first. Does nothing if there are none. */
export function throwCombined(errors: Iterable<MediaError>): void {
  const [first, ...others] = errors
  if (!first) return
  const same = [first, ...others.filter(({ code }) => code === first.code)]
  if (same.length === 1) throw first
  const messages = same.map(({ message }) => message)
  throw new MediaError(first.code, summarizeList(messages, maxListedErrors), {
    hint: `Correct them all, then send it again. Of the first: ${first.hint}`,
  })
}
