/** A stretch of a material that plays on the output. All times in seconds. */
export interface TimelineClip {
  /** Its place in the request, for errors: `video_track[0].track_timeline[3]`. */
  readonly at: string
  readonly material: string
  readonly source: { readonly from: number; readonly to: number }
  readonly track: { readonly from: number; readonly to: number }
  /** Seconds of source that pass in a second of output. */
  readonly speed: number
  readonly keepPitch: boolean
  /** Factor of its sound; 0 is muted. */
  readonly volume: number
}

/** A timeline that makes sense: of each track the clips in their order, holes between them, no overlaps. */
export interface Timeline {
  readonly width: number
  readonly height: number
  /** Frames a second. */
  readonly rate: number
  /** Length of the output as asked for or inferred. */
  readonly seconds: number
  /** Length of the output in whole frames. */
  readonly frames: number
  /** Clips of the base track. */
  readonly picture: readonly TimelineClip[]
  /** Clips of every track that may be heard, the base track's first; a muted clip is left out. */
  readonly sound: readonly (readonly TimelineClip[])[]
}

/** Above this speed sound is muted (contract 2, 4.3). */
export const maxAudibleSpeed = 5

/** Longest output: 6 hours. */
export const maxOutputSeconds = 6 * 3600

/** Callers compute their times in floating point and round them; 1 ms is no overlap. */
export const clipTolerance = 1e-3
