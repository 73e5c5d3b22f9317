import { firstIndex } from '../first-index.ts'
import type { Rect } from '../geometry.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import { type FaceTrack, importantTracks, trackFaces } from './face-tracks.ts'
import type { Saliency } from './saliency.ts'
import type { ShotChange } from './shot-detector.ts'

/** What was seen in one frame. */
export interface FrameSample {
  readonly frame: number
  /** Boxes of the faces, in pixels of the picture as displayed. */
  readonly faces: readonly Rect[]
  /** What draws the eye; only where no face was found. */
  readonly saliency?: Saliency
}

/** What was seen in the frames of a video. */
export interface PictureAnalysis {
  /** Changes of shot, in order. */
  readonly changes: readonly ShotChange[]
  /** In order of the frames. */
  readonly samples: readonly FrameSample[]
  /** Frames at which the analysis starts anew, ascending: whether the shot is that of before is not known. */
  readonly starts: readonly number[]
}

/** A part of a given range that shows one shot. */
export interface TakeSegment extends FrameSpan {
  /** Index of the given range. */
  readonly range: number
  /** Frames of the take before the segment. */
  readonly offset: number
}

/** A sample of a take. */
export interface TakeSample extends FrameSample {
  /** Frames of the take before the sample. */
  readonly at: number
  /** Index of the segment. */
  readonly segment: number
}

/** Successive kept frames of one shot; between its segments, the edit leaves frames out. */
export interface Take {
  readonly segments: readonly TakeSegment[]
  readonly frames: number
  readonly samples: readonly TakeSample[]
  /** People who matter; indexes are those of `samples`. */
  readonly people: readonly FaceTrack[]
}

/** Time at either end of a take over which a face is taken to be there already, seconds. */
const maxExtension = 0.6

/** Divides ranges at the changes of shot, and joins successive parts of the same shot to takes. */
export function shotTakes(
  ranges: readonly FrameSpan[],
  { changes, samples, starts }: PictureAnalysis,
  perSecond: number,
): Take[] {
  const cuts = changes.map(({ frame }) => frame)
  const shotStarts = [...new Set([...cuts, ...starts])].toSorted((one, other) => one - other)
  const groups: { shot: number; segments: TakeSegment[] }[] = []
  for (const [range, { first, end }] of ranges.entries()) {
    const edges = [first, ...cuts.filter((cut) => cut > first && cut < end), end]
    for (const [index, from] of edges.slice(0, -1).entries()) {
      const to = edges[index + 1] ?? end
      const shot = shotStarts.findLast((start) => start <= from) ?? -1
      const group = groups.at(-1)
      const last = group?.segments.at(-1)
      if (group && last && group.shot === shot && last.end <= from)
        group.segments.push({ range, first: from, end: to, offset: last.offset + last.end - last.first })
      else groups.push({ shot, segments: [{ range, first: from, end: to, offset: 0 }] })
    }
  }
  const clear = samples.filter(({ frame }) => !isMixed(frame, changes))
  return groups.map(({ segments }) => {
    const found = takeSamples(segments, clear)
    // A range may end within a dissolve: then, the sample in which its shot prevails most counts.
    const clearest = found.length > 0 ? found : clearestSample(takeSamples(segments, samples), changes)
    return createTake(segments, clearest, perSecond)
  })
}

/** Whether a frame shows two shots. */
function isMixed(frame: number, changes: readonly ShotChange[]): boolean {
  return changes.some((change) => Math.abs(frame - change.frame) < change.mixed / 2)
}

/** Returns the sample that is farthest from any change; none if there is none. */
function clearestSample(samples: readonly TakeSample[], changes: readonly ShotChange[]): TakeSample[] {
  const distance = ({ frame }: TakeSample) =>
    Math.min(...changes.map((change) => Math.abs(change.frame - frame)))
  return samples.toSorted((one, other) => distance(other) - distance(one)).slice(0, 1)
}

/** Returns the samples in the segments of a take. */
function takeSamples(segments: readonly TakeSegment[], all: readonly FrameSample[]): TakeSample[] {
  return segments.flatMap(({ first, end, offset }, segment) =>
    all
      .slice(lowerBound(all, first), lowerBound(all, end))
      .map((sample) => ({ ...sample, segment, at: offset + sample.frame - first })),
  )
}

function createTake(
  segments: readonly TakeSegment[],
  samples: readonly TakeSample[],
  perSecond: number,
): Take {
  const last = segments.at(-1)
  const frames = last ? last.offset + last.end - last.first : 0
  const timed = samples.map(({ at, faces }) => ({ seconds: at / perSecond, faces }))
  const people = importantTracks(trackFaces(timed), timed)
  return {
    ...{ segments, frames, samples },
    people: people.map((track) =>
      extendTrack(
        track,
        timed.map(({ seconds }) => seconds),
      ),
    ),
  }
}

/** Returns the index of the first sample at or after a frame. */
function lowerBound(samples: readonly FrameSample[], frame: number): number {
  return firstIndex(samples, (sample) => sample.frame >= frame)
}

/** Extends a track over the samples shortly before and after it that are at an end of the take. */
function extendTrack({ first, boxes, found }: FaceTrack, seconds: readonly number[]): FaceTrack {
  const last = first + boxes.length - 1
  const [[firstBox], lastBox] = [boxes, boxes.at(-1)]
  const isNear = (one: number, other: number) =>
    Math.abs((seconds[one] ?? 0) - (seconds[other] ?? 0)) <= maxExtension
  const before = firstBox && isNear(0, first) ? Array.from({ length: first }, () => firstBox) : []
  const after =
    lastBox && isNear(last, seconds.length - 1)
      ? Array.from({ length: seconds.length - 1 - last }, () => lastBox)
      : []
  return { first: first - before.length, boxes: [...before, ...boxes, ...after], found }
}

/** Returns the faces of the people who matter in a sample of a take. */
export function facesAt({ people }: Pick<Take, 'people'>, sample: number): Rect[] {
  return people.flatMap(({ first, boxes }) => boxes[sample - first] ?? [])
}

/** Returns the frames of the source that a part of a take shows, per segment. `from`, `to`: frames of the take. */
export function sourceSpans(
  { segments }: Pick<Take, 'segments'>,
  from: number,
  to: number,
): (FrameSpan & { readonly range: number })[] {
  return segments.flatMap(({ range, first, end, offset }) => {
    const [start, stop] = [Math.max(first, first + from - offset), Math.min(end, first + to - offset)]
    return start < stop ? [{ range, first: start, end: stop }] : []
  })
}

/** Returns the start of the stretch of a take that each sample represents: half way to the sample before, or a seam. */
export function sampleStarts({ segments, samples }: Pick<Take, 'segments' | 'samples'>): number[] {
  return samples.map(({ at, segment }, index) => {
    const before = samples[index - 1]
    if (!before) return 0
    if (before.segment !== segment) return segments[segment]?.offset ?? at
    return Math.ceil((before.at + at) / 2)
  })
}
