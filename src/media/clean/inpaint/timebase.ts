import type { PatchesAt } from '../frame.ts'

/** Size and rate of a video's frames. */
export interface FrameFormat {
  readonly width: number
  readonly height: number
  /** Frames per second. */
  readonly fps: number
}

/** Ticks per second. Durations are counted in ticks so that results do not depend on the frame rate. */
const ticksPerSecond = 25

/** Returns when a frame is shown, in ticks. */
export function frameTicks({ fps }: FrameFormat, frame: number): number {
  return (frame * ticksPerSecond) / fps
}

/** Returns the number of frames in a number of ticks, rounded up. */
export function ticksToFrames({ fps }: Pick<FrameFormat, 'fps'>, time: number): number {
  return Math.ceil((time * fps) / ticksPerSecond)
}

/** Returns the interval of frames kept as views: 1 up to 30 fps, more at higher rates. */
export function historyStride({ fps }: FrameFormat): number {
  return Math.max(1, Math.round(fps / 30))
}

/** Time beside a marked interval during which the overlay may fade in or out, in ticks. */
const fadeTicks = 6

/**
 * Confidence that unmasked pixels of a frame show background, 0 to 1. Lower shortly before and after other patches
 * appear: overlays fade, and codecs leave traces.
 */
export function backgroundConfidence(patchesAt: PatchesAt, index: number, format: FrameFormat): number {
  const patches = patchesAt(index)
  const fadeFrames = ticksToFrames(format, fadeTicks)
  for (let step = 1; step <= fadeFrames; step += 1) {
    const isBeside = [patchesAt(index - step), patchesAt(index + step)].some(
      (others) => others !== patches && others.length > 0,
    )
    if (isBeside) return step / (fadeFrames + 1)
  }
  return 1
}
