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
