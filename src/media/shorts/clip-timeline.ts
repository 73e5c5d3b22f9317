import type { Rational } from '../../contract/media-facts.ts'
import { frameTime } from '../frame-rate.ts'
import type { Size } from '../geometry.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { FramedRange } from '../reframe/framed-range.ts'
import type { Timeline, TimelineClip } from '../timeline/timeline.ts'

export interface ClipTimelineOptions {
  /** Id of the source. */
  readonly material: string
  readonly rate: Rational
  /** Canvas. */
  readonly size: Size
  /** Seconds of the source per second of the clip. The pitch is kept. */
  readonly speed: number
  readonly hasSound: boolean
  /** Kept source frames. */
  readonly ranges: readonly FrameSpan[]
  /** The same frames, divided where the framing changes. */
  readonly framed: readonly FramedRange[]
}

/**
 * Returns the timeline that renders a clip: its ranges one after another. Its sound is divided only where the source is
 * cut. Its length is that of the ranges at the speed, rounded to a frame.
 */
export function clipTimeline({
  rate,
  size,
  speed,
  framed,
  ranges,
  ...source
}: ClipTimelineOptions): Timeline {
  const total = framed.reduce((sum, { first, end }) => sum + end - first, 0)
  const frames = Math.max(1, Math.round(total / speed))
  const clips = (list: ClipTimelineOptions['ranges'], volume: number): TimelineClip[] => {
    let at = 0
    return list.map(({ first, end }, index) => {
      const from = at
      at += end - first
      return {
        ...{ requestPath: `clip ${index + 1}`, material: source.material, speed, keepPitch: true, volume },
        source: { from: frameTime(first, rate), to: frameTime(end, rate) },
        track: { from: frameTime(from, rate) / speed, to: frameTime(at, rate) / speed },
      }
    })
  }
  return {
    ...{ ...size, rate, frames, seconds: frameTime(frames, rate) },
    picture: clips(framed, 0).map((clip, index) => {
      const framing = framed[index]?.framing
      return framing ? { ...clip, framing } : clip
    }),
    sound: source.hasSound ? [clips(ranges, 1)] : [],
  }
}
