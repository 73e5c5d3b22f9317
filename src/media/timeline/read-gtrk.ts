import { MediaError } from '../../contract/errors.ts'
import { clipErrors, orderErrors } from './check-clips.ts'
import type { Gtrk, GtrkClip } from './gtrk.ts'
import { maxAudibleSpeed, maxOutputSeconds } from './timeline.ts'
import type { Timeline, TimelineClip } from './timeline.ts'
import { throwCombined } from './together.ts'

/** The clips of one track, including gaps and muted clips. */
interface GtrkTrack {
  /** Its path in the request. */
  readonly at: string
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
  const tracks = [base, ...heard].map(placeClips)
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
    at: `video_track[${index}]`,
    clips: (track?.track_timeline ?? []).map((clip) => ({
      clip,
      volume: (clip.muted ?? track?.muted) ? 0 : 1,
    })),
  }
}

interface PlacedGtrkClip {
  readonly clip: GtrkClip
  readonly volume: number
  /** Its path in the request. */
  readonly at: string
}

/** Returns the clips of a track, sorted by start. */
function placeClips({ at, clips }: GtrkTrack): PlacedGtrkClip[] {
  return clips
    .map(({ clip, volume }, index) => ({ clip, volume, at: `${at}.track_timeline[${index}]` }))
    .toSorted((one, other) => one.clip.track_st - other.clip.track_st)
}

function trackErrors(placed: readonly PlacedGtrkClip[], rate: number): MediaError[] {
  return [...placed.flatMap((one) => [...clipErrors(one, rate)]), ...orderErrors(placed)]
}

/** Returns the clips that are not gaps. */
function timelineClips(placed: readonly PlacedGtrkClip[]): TimelineClip[] {
  return placed.flatMap(({ clip, volume, at }) => {
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
