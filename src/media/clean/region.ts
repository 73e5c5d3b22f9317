/** A rectangle as shares of the picture as it is displayed, 0 to 1. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** An area over a time of the video, half-open [start, end), s from its start. */
export interface Region extends Area {
  readonly start: number
  readonly end: number
}

/** A region that text was found in. */
export interface FoundRegion extends Region {
  /** How text-like it is, 0 to 1. */
  readonly score: number
}
