import { MediaError } from '../../contract/errors.ts'
import type { VideoFacts } from '../../contract/media-facts.ts'
import type { RequestFile, RequestFiles } from '../../contract/operation.ts'
import { hertz } from '../frame-rate.ts'
import type { Timeline, TimelineClip } from './timeline.ts'
import { throwCombined } from './read-gtrk.ts'

/** Maximum time by which a clip may end after its material, seconds: headers and callers round durations. */
const materialEndTolerance = 0.1

/**
 * Validates clips against their files. Throws 6014 for files without moving pictures, 6016 for ranges after the
 * end of a file and 6021 for truncated files. The error lists all clips with the same code.
 */
export function checkSources({ picture, sound, rate }: Timeline, files: RequestFiles): void {
  const clipsOfStills = picture.filter(({ material }) => !movingPicture(files.get(material)))
  throwCombined(clipsOfStills.map((clip) => notMovingError(clip, files.get(clip.material))))
  const clips = [...new Set([...picture, ...sound.flat()])]
  throwCombined(clips.flatMap((clip) => rangeError(clip, files.get(clip.material), hertz(rate)) ?? []))
}

/** Returns the moving picture of a clip's file. Throws 6014 if it has none. */
export function videoOf(clip: TimelineClip, file: RequestFile): VideoFacts {
  const video = movingPicture(file)
  if (video) return video
  throw notMovingError(clip, file)
}

/** Returns the video of a file, or undefined for sound, still pictures and videos without duration. */
function movingPicture({ kind, facts }: RequestFile): VideoFacts | undefined {
  const video = facts?.video
  return kind === 'video' && video && (video.duration_ms || facts.duration_ms) > 0 ? video : undefined
}

function notMovingError({ requestPath }: TimelineClip, { name }: RequestFile): MediaError {
  return new MediaError(6014, `${requestPath}.material: ${name} is not a video with moving pictures`, {
    hint: 'Pass a video with moving pictures. Create a video from a still picture first.',
  })
}

/** Returns the error of a clip whose range exceeds its file, or undefined. rate: frames per second of the output. */
function rangeError(
  { requestPath, source, speed }: TimelineClip,
  { name, facts }: RequestFile,
  rate: number,
): MediaError | undefined {
  const fileSeconds = (facts?.duration_ms ?? 0) / 1000
  if (source.from >= fileSeconds) {
    const hint = `Give a clip_st below ${fileSeconds}.${unitHint(source.from, fileSeconds)}`
    const message = `${requestPath}.clip_st: ${source.from} s is not before the end of ${name} (${fileSeconds} s)`
    return new MediaError(6016, message, { hint })
  }
  if (source.to > fileSeconds + Math.max(materialEndTolerance, speed / rate)) {
    const hint = `Give a clip_ed of at most ${fileSeconds} and adapt the track times.${unitHint(source.to, fileSeconds)}`
    const message = `${requestPath}.clip_ed: ${source.to} s is after the end of ${name} (${fileSeconds} s)`
    return new MediaError(6016, message, { hint })
  }
  const cutOffSeconds = (facts?.cut_off_ms ?? Infinity) / 1000
  // FLV packets have no duration, so `cut_off_ms` is an estimate. The run checks the packets themselves.
  if (source.to <= cutOffSeconds || facts?.container === 'flv') return undefined
  return new MediaError(6021, `${requestPath}.material: ${name} is cut off after ${cutOffSeconds} s`, {
    hint: `Export the file again, or end the clip earlier: set clip_ed to at most ${cutOffSeconds}.`,
  })
}

/** Returns a hint about the unit if a time would be inside its file as milliseconds. */
function unitHint(time: number, fileSeconds: number): string {
  return time >= 100 && time / 1000 <= fileSeconds ? ' Times are seconds, not milliseconds.' : ''
}

/** Returns the names of the HDR files in the picture of a timeline, without duplicates. They are tone-mapped. */
export function hdrMaterialNames({ picture }: Timeline, files: RequestFiles): string[] {
  const visibleFiles = picture.map(({ material }) => files.get(material))
  return [...new Set(visibleFiles.flatMap(({ name, facts }) => (facts?.video?.hdr ? [name] : [])))]
}
