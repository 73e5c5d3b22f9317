import { MediaError } from '../../src/contract/errors.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFile, RequestFiles } from '../../src/contract/operation.ts'
import type { Timeline, TimelineClip } from '../../src/media/timeline/timeline.ts'
import { throwCombined } from '../../src/media/timeline/read-gtrk.ts'

/** A clip may end this long after its material, seconds, because headers and callers round durations. */
const materialEndTolerance = 0.1

/**
 * Validates clips against their files. Throws 6014, 6016 or 6021 with the paths of all clips with that code.
 */
export function checkSources({ picture, sound, rate }: Timeline, files: RequestFiles): void {
  const still = picture.filter(({ material }) => !movingPicture(files.get(material)))
  throwCombined(still.map((clip) => notMovingError(clip, files.get(clip.material))))
  const clips = [...new Set([...picture, ...sound.flat()])]
  throwCombined(clips.flatMap((clip) => rangeError(clip, files.get(clip.material), rate) ?? []))
}

/** Returns the moving picture of a clip's file. Throws 6014 if it has none. */
export function videoOf(clip: TimelineClip, file: RequestFile): VideoFacts {
  const video = movingPicture(file)
  if (video) return video
  throw notMovingError(clip, file)
}

function movingPicture({ kind, facts }: RequestFile): VideoFacts | undefined {
  const video = facts?.video
  return kind === 'video' && video && (video.duration_ms || facts.duration_ms) > 0 ? video : undefined
}

function notMovingError({ requestPath: at }: TimelineClip, { name }: RequestFile): MediaError {
  return new MediaError(6014, `${at}.material: ${name} is not a video with moving pictures`, {
    hint: 'Pass a video with moving pictures. Create a video from a still picture first.',
  })
}

function rangeError(
  { requestPath: at, source, speed }: TimelineClip,
  { name, facts }: RequestFile,
  rate: number,
): MediaError | undefined {
  const lasts = (facts?.duration_ms ?? 0) / 1000
  if (source.from >= lasts) {
    const hint = `Give a clip_st below ${lasts}.${unitHint(source.from, lasts)}`
    const message = `${at}.clip_st: ${source.from} s is not before the end of ${name} (${lasts} s)`
    return new MediaError(6016, message, { hint })
  }
  if (source.to > lasts + Math.max(materialEndTolerance, speed / rate)) {
    const hint = `Give a clip_ed of at most ${lasts}, with track times that fit.${unitHint(source.to, lasts)}`
    const message = `${at}.clip_ed: ${source.to} s is after the end of ${name} (${lasts} s)`
    return new MediaError(6016, message, { hint })
  }
  const cutOff = (facts?.cut_off_ms ?? Infinity) / 1000
  // FLV packets have no duration, so `cut_off_ms` is an estimate. The run checks the packets themselves.
  if (source.to <= cutOff || facts?.container === 'flv') return undefined
  return new MediaError(6021, `${at}.material: ${name} is cut off, there is nothing after ${cutOff} s`, {
    hint: `Export the file again, or end the clip earlier: clip_ed ${cutOff} or less.`,
  })
}

/** Returns a hint about the unit if the time would fit its file in milliseconds. */
function unitHint(time: number, lasts: number): string {
  return time >= 100 && time / 1000 <= lasts ? ' Times are seconds, not milliseconds.' : ''
}

/** Returns the names of the HDR files that a timeline shows, without duplicates. They are tone-mapped. */
export function hdrMaterialNames({ picture }: Timeline, files: RequestFiles): string[] {
  const shown = picture.map(({ material }) => files.get(material))
  return [...new Set(shown.flatMap(({ name, facts }) => (facts?.video?.hdr ? [name] : [])))]
}
