import { MediaError } from '../../src/contract/errors.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { GivenFile, GivenFiles } from '../../src/contract/operation.ts'
import type { Timeline, TimelineClip } from '../../src/media/timeline/timeline.ts'

/** Headers and callers round lengths: a clip may end this much after its material, s. */
const slack = 0.1

/** Holds a timeline's clips against their files. Throws 6014, 6016 and 6021 with the place of the clip. */
export function checkSources({ picture, sound, rate }: Timeline, files: GivenFiles): void {
  for (const clip of picture) videoOf(clip, files.get(clip.material))
  for (const clip of new Set([...picture, ...sound.flat()])) checkRange(clip, files.get(clip.material), rate)
}

/** The moving picture of a clip's file. Throws 6014 where it has none. */
export function videoOf({ at }: TimelineClip, { name, kind, facts }: GivenFile): VideoFacts {
  const video = facts?.video
  if (kind === 'video' && video && (video.duration_ms || facts.duration_ms) > 0) return video
  throw new MediaError(6014, `${at}.material: ${name} is not a video with moving pictures`, {
    hint: 'Give a file in which a picture moves; of a still picture or a cover make a video first.',
  })
}

function checkRange({ at, source, speed }: TimelineClip, { name, facts }: GivenFile, rate: number): void {
  const lasts = (facts?.duration_ms ?? 0) / 1000
  if (source.from >= lasts) {
    throw new MediaError(
      6016,
      `${at}.clip_st: ${source.from} s is not before the end of ${name} (${lasts} s)`,
      {
        hint: `Give a clip_st below ${lasts}.`,
      },
    )
  }
  if (source.to > lasts + Math.max(slack, speed / rate)) {
    throw new MediaError(6016, `${at}.clip_ed: ${source.to} s is after the end of ${name} (${lasts} s)`, {
      hint: `Give a clip_ed of at most ${lasts}, with track times that fit.`,
    })
  }
  const cutOff = (facts?.cut_off_ms ?? Infinity) / 1000
  // Packets of FLV do not tell how long they last, so its mark is a guess; the run tells by the packets themselves.
  if (source.to <= cutOff || facts?.container === 'flv') return
  throw new MediaError(6021, `${at}.material: ${name} is cut off, there is nothing after ${cutOff} s`, {
    hint: `Export the file again, or end the clip earlier: clip_ed ${cutOff} or less.`,
  })
}
