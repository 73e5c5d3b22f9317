import type { Rational } from '../../src/contract/media-facts.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { correlation } from './find-sound.ts'

/** Length of a compared sound, largest measured offset, and distance of measurements; seconds. */
const [compared, maxOffset, spacing] = [0.15, 0.2, 1]
/** Least level of a compared sound, RMS, and least correlation. */
const [minLevel, minLikeness] = [0.02, 0.7]

/** Difference of sound and picture at a time of the output. */
export interface LipOffset {
  /** Seconds of the output. */
  readonly time: number
  /** Seconds; positive if the sound is late. */
  readonly offset: number
}

export interface LipOffsetOptions {
  /** Sound of the recording and of the output: mono, 16 kHz. */
  readonly source: Float32Array
  readonly rendered: Float32Array
  /** Number of the source's frame that each frame of the output shows. */
  readonly frames: readonly (number | null)[]
  /** Rate of the output and of the source. */
  readonly rate: Rational
}

/**
 * Measures sound against picture about once a second where somebody speaks and the picture has no cut: the sound of the
 * output is searched in the source around the time that the picture shows, within 0.2 s.
 */
export function measureLipOffsets({ source, rendered, frames, rate }: LipOffsetOptions): LipOffset[] {
  const offsets: LipOffset[] = []
  const length = Math.round(compared * speechRate)
  const reach = Math.round(maxOffset * speechRate)
  let next = 0
  for (const [index, frame] of frames.entries()) {
    const time = index / hertz(rate)
    if (frame === null || time < next || !isSteady(frames, index, rate)) continue
    const from = Math.round(time * speechRate)
    const part = rendered.subarray(from, from + length)
    if (part.length < length || levelOf(part) < minLevel) continue
    const expected = Math.round((frame / hertz(rate)) * speechRate)
    let best = { offset: 0, likeness: -1 }
    for (let offset = -reach; offset <= reach; offset += 1) {
      const likeness = correlation({ whole: source, from: expected + offset }, part, 2)
      if (likeness > best.likeness) best = { offset, likeness }
    }
    if (best.likeness < minLikeness) continue
    // Sound of an earlier moment than that of the picture is late.
    offsets.push({ time, offset: -best.offset / speechRate })
    next = time + spacing
  }
  return offsets
}

/** Whether the picture has no cut from a frame to the end of the compared sound. */
function isSteady(frames: readonly (number | null)[], index: number, rate: Rational): boolean {
  const count = Math.ceil(compared * hertz(rate)) + 1
  return frames
    .slice(index, index + count)
    .every((frame, step) => frame !== null && frame === (frames[index] ?? 0) + step)
}

function levelOf(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}
