import type { Rational } from '../../../contract/media-facts.ts'
import type { Size } from '../../geometry.ts'
import type { FrameSpan } from '../../particle/frame-spans.ts'
import type { ClipFraming } from '../framing.ts'

/** A media file of a project. */
export interface ProjectMaterial {
  /** Unique in the project. */
  readonly id: string
  /** File name, as editors show it. */
  readonly name: string
  /** Full path on the user's machine, POSIX or Windows, as the user wrote it. */
  readonly path: string
  /** Whole frames of the project's rate that the file contains. */
  readonly frames: number
  /** Displayed size of the picture, pixels; null for sound. */
  readonly picture: Size | null
  /** Null for a silent video. */
  readonly sound: { readonly channels: number; readonly sampleRate: number } | null
  /** Source timecode of the first frame: frames since 00:00:00:00 at the project's rate. */
  readonly timecodeStart: number
  /** Whether its timecode uses drop-frame numbering, which does not change any time. */
  readonly dropFrame: boolean
}

/** A range of a material on a track. Units are whole frames of the project's rate. */
export interface ProjectClip {
  readonly material: ProjectMaterial
  /** First frame in the material, counted from the first frame of the file. */
  readonly from: number
  /** End in the material, exclusive. */
  readonly to: number
  /** Position on the timeline. */
  readonly at: number
  /** Id of the clip in formats that have one, unique in the project. Default: a number by its position on the track. */
  readonly id?: string
  /** How the picture is fitted to the canvas. Default: the whole picture, centred on black. */
  readonly framing?: ClipFraming
  /** Role of its sound in formats that have roles. Default: dialogue. */
  readonly audioRole?: 'music'
}

/**
 * An editing project, independent of its file format. All times are whole frames, so that all formats contain the same
 * cuts. The clips of a track are sorted and do not overlap; gaps are black or silent.
 */
export interface Project {
  readonly name: string
  /** Frames per second: a whole number, or 1000/1001 of one. */
  readonly rate: Rational
  /** Size of the picture, pixels. */
  readonly size: Size
  /** Numbering of the timeline's own timecode, which starts at 00:00:00:00. */
  readonly dropFrame: boolean
  /** The first track is the lowest layer. */
  readonly pictureTracks: readonly (readonly ProjectClip[])[]
  readonly soundTracks: readonly (readonly ProjectClip[])[]
}

/** Returns the materials of a project, each once, in order of first use. */
export function projectMaterials({ pictureTracks, soundTracks }: Project): ProjectMaterial[] {
  return [...new Set([...pictureTracks, ...soundTracks].flat().map(({ material }) => material))]
}

/** Returns the length of a project, frames. */
export function projectFrames({ pictureTracks, soundTracks }: Project): number {
  const ends = [...pictureTracks, ...soundTracks].map((track) => {
    const last = track.at(-1)
    return last ? last.at + last.to - last.from : 0
  })
  return Math.max(0, ...ends)
}

/**
 * Returns the time of a frame, rounded to microseconds. The length of a range is the difference of its rounded ends, so
 * that neighbours meet exactly.
 */
export function toMicroseconds(frames: number, { num, den }: Rational): number {
  return Math.round((frames * den * 1e6) / num)
}

/** A range of the material of a project, and how it is shown. */
export interface FramedSpan extends FrameSpan {
  readonly framing?: ClipFraming
}

export interface CutProjectOptions {
  readonly ranges: readonly FramedSpan[]
  readonly rate: Rational
  /** Size of the canvas, pixels. Default: that of the material. */
  readonly size?: Size
}

/**
 * Returns a project that plays ranges of one material, one after another, with their sound. Ranges beyond the end of
 * the material are shortened; empty ones are omitted.
 */
export function cutProject(
  name: string,
  material: ProjectMaterial,
  { ranges, rate, size }: CutProjectOptions,
): Project {
  const clips: ProjectClip[] = []
  let at = 0
  for (const { first, end, framing } of ranges) {
    const from = Math.max(0, first)
    const to = Math.min(material.frames, end)
    if (to <= from) continue
    clips.push({ material, from, to, at, ...(framing && { framing }) })
    at += to - from
  }
  return {
    ...{ name, rate, dropFrame: material.dropFrame },
    size: size ?? material.picture ?? { width: 0, height: 0 },
    pictureTracks: material.picture ? [clips] : [],
    soundTracks: material.sound ? [clips] : [],
  }
}

/** Returns whether two tracks play the same ranges of the same materials at the same times. */
export function isSameTrack(track: readonly ProjectClip[], other: readonly ProjectClip[]): boolean {
  return (
    track.length === other.length &&
    track.every(({ material, from, to, at }, index) => {
      const clip = other[index]
      return clip?.material === material && clip.from === from && clip.to === to && clip.at === at
    })
  )
}

/** Time on a track that no clip covers, frames. */
interface Gap extends Pick<ProjectClip, 'from' | 'to' | 'at'> {
  readonly material?: undefined
}

/** Returns the clips of a track and the gaps before them. */
export function clipsAndGaps(track: readonly ProjectClip[]): readonly (ProjectClip | Gap)[] {
  let end = 0
  return track.flatMap((clip) => {
    const gap = clip.at > end ? [{ from: 0, to: clip.at - end, at: end }] : []
    end = clip.at + clip.to - clip.from
    return [...gap, clip]
  })
}
