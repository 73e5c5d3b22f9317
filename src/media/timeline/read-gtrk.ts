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
  /** Path of the track in the request, for error messages. */
  readonly requestPath: string
  readonly clips: readonly { readonly clip: GtrkClip; readonly volume: number }[]
}

/** A clip of a track, its gain factor and its path in the request. */
interface LocatedClip {
  readonly clip: GtrkClip
  readonly volume: number
  readonly requestPath: string
}

/**
 * Validates a gtrk v1 timeline and converts it to a `Timeline`. Uses the picture of the base track only. Infers
 * a missing duration from the end of the last clip. Throws 6016 with the request paths of all violations.
 */
export function readGtrk(gtrk: Gtrk): Timeline {
  const { video_size, video_rate: rate } = gtrk
  const tracks = [baseTrack(gtrk), ...audioTracks(gtrk)]
  const locatedTracks = tracks.map(locateClips)
  throwCombined(locatedTracks.flatMap((clips) => trackErrors(clips, rate)))
  const [picture = [], ...audio] = locatedTracks.map(timelineClips)
  const seconds = outputSeconds(gtrk, tracks)
  return {
    width: video_size[0] ?? 0,
    height: video_size[1] ?? 0,
    rate: { num: rate, den: 1 },
    seconds,
    frames: Math.round(seconds * rate),
    picture,
    sound: [picture, ...audio]
      .map((clips) => clips.filter(({ volume, speed }) => volume > 0 && speed <= maxAudibleSpeed))
      .filter((clips) => clips.length > 0),
  }
}

/** Returns the first video track with the lowest index, or an empty track if the request has no video track. */
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

function audioTracks({ audio_track }: Gtrk): GtrkTrack[] {
  return audio_track.map(({ volume, track_timeline }, index) => ({
    requestPath: `audio_track[${index}]`,
    clips: track_timeline.map((clip) => ({ clip, volume: clip.volume ?? volume })),
  }))
}

/** Returns the clips of a track with their request paths, sorted by start. */
function locateClips({ requestPath, clips }: GtrkTrack): LocatedClip[] {
  return clips
    .map(({ clip, volume }, index) => ({
      clip,
      volume,
      requestPath: `${requestPath}.track_timeline[${index}]`,
    }))
    .toSorted((one, other) => one.clip.track_st - other.clip.track_st)
}

function trackErrors(clips: readonly LocatedClip[], rate: number): MediaError[] {
  return [...clips.flatMap((clip) => [...clipErrors(clip, rate)]), ...overlapErrors(clips)]
}

/** Converts the clips of a track and omits gaps. */
function timelineClips(clips: readonly LocatedClip[]): TimelineClip[] {
  return clips.flatMap(({ clip, volume, requestPath }) => {
    const { clip_id, material, clip_st, clip_ed } = clip
    if (clip_id === '' || material === undefined || clip_st === undefined || clip_ed === undefined) return []
    return [
      {
        requestPath,
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

/**
 * Returns the duration of the output, seconds: the requested one, or else the end of the last clip. Throws 6016
 * if it contains no frame or exceeds 6 hours.
 */
function outputSeconds({ duration, video_rate }: Gtrk, tracks: readonly GtrkTrack[]): number {
  const clipEnds = tracks.flatMap(({ clips }) => clips.map(({ clip }) => clip.track_ed))
  const exact = duration ?? clipEnds.reduce((latest, end) => Math.max(latest, end), 0)
  // Sums of times contain rounding errors, which rounding to microseconds removes.
  const seconds = Math.round(exact * 1e6) / 1e6
  if (Math.round(seconds * video_rate) === 0) {
    throw new MediaError(
      6016,
      `duration: nothing to render, ${seconds} s contain no frame at ${video_rate} frames per second`,
      {
        hint: 'Add a clip to video_track or audio_track. For black and silence, set duration to at least one frame.',
      },
    )
  }
  if (seconds <= maxOutputSeconds) return seconds
  throw new MediaError(
    6016,
    `duration: the output would last ${(exact / 3600).toFixed(2)} hours, the maximum is 6 hours`,
    {
      hint: 'Render parts of at most 21600 s as separate timelines. Times are in seconds.',
    },
  )
}

/**
 * Checks the times of a clip for consistency, with a tolerance of one output frame. Yields a 6016 per
 * violation.
 */
function* clipErrors({ clip, requestPath }: LocatedClip, rate: number): Generator<MediaError> {
  const { track_st, track_ed, duration, speed, clip_st, clip_ed } = clip
  const tolerance = 1 / rate + clipTolerance
  const trackSeconds = track_ed - track_st
  if (Math.abs(duration - trackSeconds) > tolerance) {
    yield new MediaError(
      6016,
      `${requestPath}.duration: ${roundedSeconds(duration)} s, but from track_st to track_ed it is ${roundedSeconds(trackSeconds)} s`,
      { hint: `Set "duration": ${roundedSeconds(trackSeconds)}, or change the track times.` },
    )
  }
  if (clip.clip_id === '' || clip_st === undefined || clip_ed === undefined) return
  const expectedEnd = clip_st + trackSeconds * speed
  // The tolerance is one output frame, or the source time that passes in one.
  if (Math.abs(clip_ed - expectedEnd) <= tolerance * Math.max(1, speed)) return
  yield new MediaError(
    6016,
    `${requestPath}.clip_ed: ${roundedSeconds(clip_ed)} s, but clip_st ${roundedSeconds(clip_st)} + duration ${roundedSeconds(trackSeconds)} x speed ${speed} is ${roundedSeconds(expectedEnd)} s`,
    { hint: `Set "clip_ed": ${roundedSeconds(expectedEnd)}, or change the track times or the speed.` },
  )
}

/**
 * Checks that clips of one track, sorted by start and including gaps, do not overlap. Yields a 6016 per
 * overlap.
 */
function* overlapErrors(clips: readonly LocatedClip[]): Generator<MediaError> {
  for (const [index, { clip, requestPath }] of clips.entries()) {
    const before = clips[index - 1]
    if (!before || clip.track_st >= before.clip.track_ed - clipTolerance) continue
    yield new MediaError(
      6016,
      `${requestPath}.track_st: it starts at ${roundedSeconds(clip.track_st)} s, before ${before.requestPath} ends at ${roundedSeconds(before.clip.track_ed)} s`,
      { hint: 'Move or shorten one of them: clips of one track must not overlap.' },
    )
  }
}

/** Formats a time in seconds, rounded to milliseconds. */
function roundedSeconds(seconds: number): string {
  return String(Math.round(seconds * 1000) / 1000)
}

/** Maximum number of errors listed in one message. */
const maxListedErrors = 20

/** Throws one error that lists all errors with the code of the first. Returns if there are none. */
export function throwCombined(errors: Iterable<MediaError>): void {
  const [first, ...others] = errors
  if (!first) return
  const same = [first, ...others.filter(({ code }) => code === first.code)]
  if (same.length === 1) throw first
  const messages = same.map(({ message }) => message)
  throw new MediaError(first.code, summarizeList(messages, maxListedErrors), {
    hint: `Correct them all, then send the request again. For the first: ${first.hint}`,
  })
}
