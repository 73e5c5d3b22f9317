import type { Rational } from '../../contract/media-facts.ts'
import type { Size } from '../geometry.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { FramedRange } from '../reframe/framed-range.ts'
import {
  cutProject,
  type Project,
  type ProjectClip,
  type ProjectMaterial,
} from '../timeline/project/project.ts'

export interface ClipProjectOptions {
  readonly name: string
  readonly material: ProjectMaterial
  readonly rate: Rational
  /** Canvas. */
  readonly size: Size
  /** Kept source frames, ascending and apart or adjacent. */
  readonly ranges: readonly FramedRange[]
}

/**
 * Returns the project of a clip: its ranges one after another, picture and sound at the same cuts. `overlay`: clips of
 * other material above the picture, without sound.
 */
export function clipProject(
  { name, material, ...options }: ClipProjectOptions,
  overlay: readonly ProjectClip[] = [],
): Project {
  const project = cutProject(name, material, options)
  return {
    ...project,
    pictureTracks: [...project.pictureTracks, ...(overlay.length > 0 ? [overlay] : [])],
    soundTracks: project.soundTracks.map((track) =>
      track.map(({ from, to, at }) => ({ material, from, to, at })),
    ),
  }
}

/** Returns ranges in which stretches have another framing; the stretches are parts of the ranges. */
export function replaceFraming(
  ranges: readonly FramedRange[],
  stretches: readonly FramedRange[],
): FramedRange[] {
  return ranges.flatMap((range) => {
    const parts: FramedRange[] = []
    let next = range.first
    for (const stretch of partsWithin(range, stretches)) {
      if (stretch.first > next) parts.push({ first: next, end: stretch.first, framing: range.framing })
      parts.push(stretch)
      next = stretch.end
    }
    if (next < range.end) parts.push({ first: next, end: range.end, framing: range.framing })
    return parts
  })
}

/**
 * Returns the clips of an overlay track: `material` contains the stretches one after another, each of which is shown over its
 * frames of the clip that consists of `ranges`.
 */
export function overlayClips(
  material: ProjectMaterial,
  ranges: readonly FrameSpan[],
  stretches: readonly FramedRange[],
): ProjectClip[] {
  const clips: ProjectClip[] = []
  let [at, from] = [0, 0]
  for (const range of ranges) {
    for (const { first, end } of partsWithin(range, stretches)) {
      clips.push({ material, from, to: from + end - first, at: at + first - range.first })
      from += end - first
    }
    at += range.end - range.first
  }
  return clips
}

/** The parts of stretches within a range, ascending. */
export function partsWithin(range: FrameSpan, stretches: readonly FramedRange[]): FramedRange[] {
  return stretches
    .map((stretch) => ({
      ...stretch,
      ...{ first: Math.max(stretch.first, range.first), end: Math.min(stretch.end, range.end) },
    }))
    .filter(({ first, end }) => end > first)
    .toSorted((one, other) => one.first - other.first)
}
