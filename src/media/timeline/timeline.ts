import type { Rational } from '../../contract/media-facts.ts'
import type { ClipFraming } from './framing.ts'

/** A range of a material and its position on the output. All times are in seconds. */
export interface TimelineClip {
  /** Path of the clip in the request, for error messages: `video_track[0].track_timeline[3]`. */
  readonly requestPath: string
  readonly material: string
  readonly source: { readonly from: number; readonly to: number }
  readonly track: { readonly from: number; readonly to: number }
  /** Seconds of source per second of output. */
  readonly speed: number
  readonly keepPitch: boolean
  /** Gain factor of the sound; 0 is muted. */
  readonly volume: number
  /** How the picture is fitted to the canvas. Default: the whole picture, centred on black. */
  readonly framing?: ClipFraming
}

/** A validated timeline. The clips of each track are sorted, may leave gaps and do not overlap. */
export interface Timeline {
  readonly width: number
  readonly height: number
  /** Exact frames per second: whole in a request, 1000/1001 of it in a project of such footage. */
  readonly rate: Rational
  /** Requested or inferred duration of the output, seconds. */
  readonly seconds: number
  /** Length of the output in frames. */
  readonly frames: number
  /** Clips of the base track. */
  readonly picture: readonly TimelineClip[]
  /** Audible clips per track, the base track first, without muted clips. */
  readonly sound: readonly (readonly TimelineClip[])[]
}

/** Sound is muted above this speed (contract 2, 4.3). */
export const maxAudibleSpeed = 5

/** Maximum duration of an output, seconds: 6 hours. */
export const maxOutputSeconds = 6 * 3600

/** Tolerance for overlaps, seconds. Callers compute times in floating point and round them. */
export const clipTolerance = 1e-3
