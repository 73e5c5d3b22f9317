import type { VideoFacts } from '../../contract/media-facts.ts'
import type { RequestFiles } from '../../contract/operation.ts'
import { hertz } from '../frame-rate.ts'
import type { Timeline, TimelineClip } from './timeline.ts'

/**
 * Costs measured on two cores. Costs of starts and clips are seconds, costs of sound are seconds per second of
 * sound, and costs of pictures are pixels per second, the mean of material with and without grain.
 */
const costs = {
  start: 0.6,
  pictureClip: 0.03,
  soundClip: 0.02,
  decodeAndScale: 250e6,
  /** Decoding without scaling, for skipped pictures between a key frame and the first visible one. */
  decode: 330e6,
  /** Number of additional pictures that are decoded per clip, because a decoder reads ahead. */
  readAheadPictures: 15,
  encode: 90e6,
  encodeBlack: 280e6,
  /** Limiting and encoding of the mix. */
  mix: 0.035,
  decodeSound: 0.007,
  /** Additional cost of a clip with changed speed and kept pitch. */
  keepPitch: 0.03,
}

/** Returns the estimated duration of the rendering of a timeline on two cores, seconds. bench/timeline.ts compares it with measurements. */
export function timelineRenderSeconds(timeline: Timeline, files: RequestFiles): number {
  const { width, height, frames, rate, seconds, picture, sound } = timeline
  const visiblePixels = sumOver(picture, ({ material, source }) => {
    const video = files.get(material).facts?.video
    return pixelsPerSecond(video) * (source.to - source.from)
  })
  const skippedPixels = picture.reduce((sum, clip, index) => {
    const video = files.get(clip.material).facts?.video
    const pixels = pixelsPerSecond(video) * skippedSeconds(clip, picture[index - 1], video?.seek_ms)
    return sum + pixels + costs.readAheadPictures * codedPixels(video)
  }, 0)
  const pictureFrames = Math.min(
    frames,
    sumOver(picture, ({ track }) => (track.to - track.from) * hertz(rate)),
  )
  const soundCost = sumOver(sound.flat(), ({ source, speed, keepPitch }) => {
    const pitchCost = keepPitch && speed !== 1 ? costs.keepPitch : 0
    return costs.soundClip + (costs.decodeSound + pitchCost) * (source.to - source.from)
  })
  const expected =
    costs.start +
    costs.pictureClip * picture.length +
    visiblePixels / costs.decodeAndScale +
    skippedPixels / costs.decode +
    width * height * (pictureFrames / costs.encode + (frames - pictureFrames) / costs.encodeBlack) +
    soundCost +
    costs.mix * seconds
  return Math.round(expected * 10) / 10
}

/** Returns the decoded pixels per second of a video, 0 without a video. */
function pixelsPerSecond(video: VideoFacts | null | undefined): number {
  const { num, den } = video?.frame_rate ?? { num: 0, den: 1 }
  return codedPixels(video) * (num > 0 ? num / den : 30)
}

function codedPixels(video: VideoFacts | null | undefined): number {
  return video ? video.coded_width * video.coded_height : 0
}

/**
 * Returns how many seconds of a file are decoded only to reach a clip, from the preceding key frame or from the
 * end of the previous clip. seekMs: mean distance from a key frame, milliseconds.
 */
function skippedSeconds({ material, source }: TimelineClip, before?: TimelineClip, seekMs = 0): number {
  const gap = before?.material === material ? source.from - before.source.to : -1
  return Math.min(seekMs / 1000, source.from, gap < 0 ? Infinity : gap)
}

function sumOver(clips: readonly TimelineClip[], cost: (clip: TimelineClip) => number): number {
  return clips.reduce((sum, clip) => sum + cost(clip), 0)
}
