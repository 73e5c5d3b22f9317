import type { MediaFacts, Rational } from '../../../contract/media-facts.ts'
import { hertz, nominalRate, timeTolerance } from '../../frame-rate.ts'
import { pathFileName } from './media-url.ts'
import type { ProjectMaterial } from './project.ts'
import { canDropFrames, editableRate, parseTimecode, timebaseOf } from './timecode.ts'

export interface ProjectMaterialOptions {
  /** Unique in the project. */
  readonly id: string
  /** Full path on the user's machine, POSIX or Windows. */
  readonly path: string
  /** Frames per second of the project, an `editableRate`. */
  readonly rate: Rational
}

/**
 * Returns a media file as a material of a project: with its whole frames, the first audio stream, and the source
 * timecode at the project's rate. The picture of a truncated file ends where its content ends.
 */
export function projectMaterial(
  facts: MediaFacts,
  { id, path, rate }: ProjectMaterialOptions,
): ProjectMaterial {
  const { video, audio, duration_ms, cut_off_ms = Infinity } = facts
  const [sound] = audio
  const seconds = Math.min(duration_ms, cut_off_ms) / 1000
  return {
    ...{ id, path, name: pathFileName(path) },
    // The duration is rounded to milliseconds.
    frames: Math.floor((seconds + timeTolerance) * hertz(rate)),
    picture: video && { width: video.width, height: video.height },
    sound: sound ? { channels: sound.channels, sampleRate: sound.sample_rate } : null,
    ...startTimecode(facts, rate),
  }
}

/**
 * Returns the source timecode of a file at the rate of a project. With equal whole rates, as of 30 and 29.97, it reads
 * the same; at other rates it is at the same time. A file without a timecode starts at 0.
 */
function startTimecode(
  { timecode, video }: MediaFacts,
  rate: Rational,
): Pick<ProjectMaterial, 'timecodeStart' | 'dropFrame'> {
  const counted = editableRate(timecode?.rate ?? (video ? nominalRate(video) : rate))
  const { timebase } = timebaseOf(counted)
  const parsed = timecode && parseTimecode(timecode.text, timebase)
  if (!parsed) return { timecodeStart: 0, dropFrame: false }
  const project = timebaseOf(rate)
  const frames =
    project.timebase === timebase ? parsed.frames : Math.round((parsed.frames * hertz(rate)) / hertz(counted))
  return { timecodeStart: frames, dropFrame: parsed.dropFrame && canDropFrames(project.timebase) }
}
