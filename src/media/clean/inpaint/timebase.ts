import type { PatchesAt } from '../frame.ts'

/** What is known of all frames of a video. */
export interface FrameFormat {
  readonly width: number
  readonly height: number
  /** Frames a second. */
  readonly fps: number
}

/** Ticks of a second: what depends on time counts in them, so that it is the same at every rate. */
const ticksPerSecond = 25

/** When a frame shows, in ticks. */
export function frameTicks({ fps }: FrameFormat, frame: number): number {
  return (frame * ticksPerSecond) / fps
}

/** Frames that show in so many ticks. */
export function ticksToFrames({ fps }: Pick<FrameFormat, 'fps'>, time: number): number {
  return Math.ceil((time * fps) / ticksPerSecond)
}

/** From one frame that is looked at later to the next: of fast rates not all are needed. */
export function historyStride({ fps }: FrameFormat): number {
  return Math.max(1, Math.round(fps / 30))
}

/** Time beside one in which a place is treated, in ticks, in which what lay there may come or go faintly. */
const fadeTicks = 6

/**
 * How far a frame can be taken for background where nothing of it is treated, up to 1: the less, the sooner before it
 * or after it something else is. What fades is faint beside its time, and codecs leave traces of it.
 */
export function backgroundConfidence(patchesAt: PatchesAt, index: number, film: FrameFormat): number {
  const patches = patchesAt(index)
  const most = ticksToFrames(film, fadeTicks)
  for (let step = 1; step <= most; step += 1) {
    const isBeside = [patchesAt(index - step), patchesAt(index + step)].some(
      (others) => others !== patches && others.length > 0,
    )
    if (isBeside) return step / (most + 1)
  }
  return 1
}
