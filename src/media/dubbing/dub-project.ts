import type { MediaFacts, Rational } from '../../contract/media-facts.ts'
import { constantRate, hertz } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import { projectMaterial } from '../timeline/project/material.ts'
import { pathInFolder } from '../timeline/project/media-url.ts'
import type { Project, ProjectClip, ProjectMaterial } from '../timeline/project/project.ts'
import { editableRate } from '../timeline/project/timecode.ts'

/** A line of a dub where it is heard. Times are whole ms of the output. */
export interface DubbedSpan {
  /** Id in the alignment record. */
  readonly clipId: string
  readonly start: number
  readonly end: number
}

/** A video of a dub. */
interface DubVideo {
  readonly id: string
  readonly facts: MediaFacts
}

/** A sound file of a dub. */
interface DubSound {
  readonly id: string
  readonly seconds: number
  readonly channels: number
  /** Hz. */
  readonly sampleRate: number
}

export interface DubProjectOptions {
  readonly name: string
  readonly source: DubVideo & {
    /** File name, which replaces a missing path. */
    readonly name: string
  }
  /** The source with frames that are held, if there are any: it is shown instead. */
  readonly base?: DubVideo | undefined
  readonly dub: DubSound
  readonly music?: DubSound | undefined
  /** Path of the source on the user's machine. */
  readonly sourcePath?: string | undefined
  /** Folder on the user's machine into which the files of the dub are downloaded. Default: their names alone. */
  readonly outputDir?: string | undefined
}

/** Names under which users download the files of a dub. */
export const dubFileNames = { dub: 'dub.wav', music: 'bgm.wav', base: 'base.mp4' } as const

/** Ids of the clips that are no lines. */
const clipIds = { base: 'base', music: 'bgm' } as const

const musicRole = { audioRole: 'music' } as const

/**
 * Returns the project of a dub: the whole video without its sound, on sound track 0 each line, cut out of the dub at its
 * own position, and on sound track 1 the music, if there is any. Lines are in order and disjoint.
 */
export function dubProject(lines: readonly DubbedSpan[], options: DubProjectOptions): Project {
  const { name, source, base, dub, music, outputDir } = options
  const pathOf = (file: string) => (outputDir === undefined ? file : pathInFolder(outputDir, file))
  const rate = dubProjectRate(source.facts)
  const picture = base
    ? projectMaterial(base.facts, { id: base.id, path: pathOf(dubFileNames.base), rate })
    : projectMaterial(source.facts, { id: source.id, path: options.sourcePath ?? source.name, rate })
  const soundMaterial = (sound: DubSound, file: string) =>
    projectMaterial(soundFacts(sound), { id: sound.id, path: pathOf(file), rate })
  const whole = (material: ProjectMaterial, id: string): ProjectClip[] => {
    const to = Math.min(material.frames, picture.frames)
    return to > 0 ? [{ id, material, from: 0, to, at: 0, ...(id === clipIds.music && musicRole) }] : []
  }
  const spoken = soundMaterial(dub, dubFileNames.dub)
  return {
    ...{ name, rate, dropFrame: picture.dropFrame, size: picture.picture ?? { width: 0, height: 0 } },
    pictureTracks: [whole(picture, clipIds.base)],
    soundTracks: [
      lineClips(lines, { material: spoken, frames: Math.min(spoken.frames, picture.frames), rate }),
      ...(music ? [whole(soundMaterial(music, dubFileNames.music), clipIds.music)] : []),
    ],
  }
}

/** Lower rates are replaced, frames per second: their frames are longer than the pauses between lines. */
const minRate = 23

/** Rates that replace lower ones of which they are multiples. */
const replacingRates: readonly Rational[] = [
  { num: 24_000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 30, den: 1 },
]

/** Rate of a video of which none of them is a multiple. */
const fallbackRate: Rational = { num: 30, den: 1 }

/** Largest deviation of a ratio of rates from a whole number. */
const multipleTolerance = 1e-3

/** Returns the rate of the project of a dub: that of the video, or a multiple of a low one that editors have. */
function dubProjectRate({ video }: MediaFacts): Rational {
  const own = video ? constantRate(video) : fallbackRate
  if (hertz(own) >= minRate) return editableRate(own)
  const isMultiple = (rate: Rational) => {
    const ratio = hertz(rate) / hertz(own)
    return Math.abs(ratio - Math.round(ratio)) < multipleTolerance
  }
  return replacingRates.find(isMultiple) ?? fallbackRate
}

function soundFacts({ seconds, channels, sampleRate }: DubSound): MediaFacts {
  const times = { start_ms: 0, duration_ms: seconds * 1000 }
  return {
    ...{ container: 'wav', duration_ms: seconds * 1000, size: 0, bit_rate: null, video: null, subtitles: [] },
    audio: [{ codec: 'pcm_s16le', channels, sample_rate: sampleRate, ...times }],
  }
}

interface LineClipsOptions {
  readonly material: ProjectMaterial
  /** Frames in which lines can be. */
  readonly frames: number
  readonly rate: Rational
}

/** Returns a clip per line, of the frames around it. */
function lineClips(lines: readonly DubbedSpan[], { material, ...options }: LineClipsOptions): ProjectClip[] {
  return lineFrames(lines, options).flatMap(({ first, end }, index) =>
    end > first ? [{ id: lines[index]?.clipId ?? '', material, from: first, to: end, at: first }] : [],
  )
}

/** Returns the frames around each line, at least one. Lines that share a frame are divided in the middle between them. */
function lineFrames(
  lines: readonly DubbedSpan[],
  { frames, rate: { num, den } }: Omit<LineClipsOptions, 'material'>,
): FrameSpan[] {
  const exact = (ms: number) => (ms * num) / (1000 * den)
  let free = 0
  return lines.map(({ start, end }, index) => {
    const first = Math.max(free, Math.floor(exact(start)))
    const next = lines[index + 1]?.start ?? Infinity
    const shared = Math.ceil(exact(end)) > Math.floor(exact(next))
    const last = shared ? Math.round(exact((end + next) / 2)) : Math.ceil(exact(end))
    free = Math.min(frames, Math.max(first + 1, last))
    return { first, end: free }
  })
}
