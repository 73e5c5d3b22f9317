/** What is known of all frames of a video. */
export interface Film {
  readonly width: number
  readonly height: number
  /** Frames a second. */
  readonly fps: number
}

/** Ticks of a second: what depends on time counts in them, so that it is the same at every rate. */
const ticks = 25

/** When a frame shows, in ticks. */
export function timeOf({ fps }: Film, frame: number): number {
  return (frame * ticks) / fps
}

/** Frames that show in so many ticks. */
export function framesOf({ fps }: Pick<Film, 'fps'>, time: number): number {
  return Math.ceil((time * fps) / ticks)
}

/** From one frame that is looked at later to the next: of fast rates not all are needed. */
export function strideOf({ fps }: Film): number {
  return Math.max(1, Math.round(fps / 30))
}
