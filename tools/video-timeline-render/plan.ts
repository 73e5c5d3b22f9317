import { creditsFor } from '../../src/contract/credits.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFiles, InputOf, PlanOperation } from '../../src/contract/operation.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import type { Timeline, TimelineClip } from '../../src/media/timeline/timeline.ts'
import { videoTimelineRender } from './contract.ts'
import { checkSources } from './sources.ts'

export type TimelineInput = InputOf<typeof videoTimelineRender>

/** Validates the timeline against its rules and the probed files. Prices the whole output. */
export const plan: PlanOperation<typeof videoTimelineRender> = (input, files) => {
  const timeline = readGtrk(input)
  checkSources(timeline, files)
  return {
    credits: creditsFor(videoTimelineRender.price, Math.round(timeline.seconds * 1000)),
    seconds: timelineRenderSeconds(timeline, files),
  }
}

/**
 * Measured on two cores: seconds per run, per clip and per second of sound, and pixels per second. Values for
 * pictures are the mean of material with and without grain.
 */
const costs = {
  start: 0.6,
  pictureClip: 0.03,
  soundClip: 0.02,
  decodeAndScale: 250e6,
  /** For pictures decoded only between a key frame and the first visible picture. */
  decode: 330e6,
  /** Number of such pictures per clip: those that a decoder reads ahead and buffers. */
  ahead: 15,
  encode: 90e6,
  encodeBlack: 280e6,
  /** Limiting and encoding of the mix, per second. */
  mixed: 0.035,
  /** Decoding of a clip, per second. */
  heard: 0.007,
  /** Additional cost of a clip with changed speed and kept pitch, per second. */
  pitched: 0.03,
}

/** Returns the estimated work on two cores, seconds. bench/timeline.ts compares it with measurements. */
export function timelineRenderSeconds(timeline: Timeline, files: RequestFiles): number {
  const { width, height, frames, rate, seconds, picture, sound } = timeline
  const decoded = sumOver(picture, ({ material, source }) => {
    const video = files.get(material).facts?.video
    return pixelsPerSecond(video) * (source.to - source.from)
  })
  const passed = picture.reduce((sum, clip, index) => {
    const video = files.get(clip.material).facts?.video
    const way = pixelsPerSecond(video) * skippedSeconds(clip, picture[index - 1], video?.seek_ms)
    return sum + way + costs.ahead * codedPixels(video)
  }, 0)
  const shown = Math.min(
    frames,
    sumOver(picture, ({ track }) => (track.to - track.from) * rate),
  )
  const heard = sumOver(sound.flat(), ({ source, speed, keepPitch }) => {
    const retimed = keepPitch && speed !== 1 ? costs.pitched : 0
    return costs.soundClip + (costs.heard + retimed) * (source.to - source.from)
  })
  const expected =
    costs.start +
    costs.pictureClip * picture.length +
    decoded / costs.decodeAndScale +
    passed / costs.decode +
    width * height * (shown / costs.encode + (frames - shown) / costs.encodeBlack) +
    heard +
    costs.mixed * seconds
  return Math.round(expected * 10) / 10
}

function pixelsPerSecond(video: VideoFacts | null | undefined): number {
  const { num, den } = video?.frame_rate ?? { num: 0, den: 1 }
  return codedPixels(video) * (num > 0 ? num / den : 30)
}

function codedPixels(video: VideoFacts | null | undefined): number {
  return video ? video.coded_width * video.coded_height : 0
}

/**
 * Returns the seconds of a file decoded only to reach a clip, from the preceding key frame or from the
 * previous clip.
 */
function skippedSeconds({ material, source }: TimelineClip, before?: TimelineClip, seekMs = 0): number {
  const hole = before?.material === material ? source.from - before.source.to : -1
  return Math.min(seekMs / 1000, source.from, hole < 0 ? Infinity : hole)
}

function sumOver(clips: readonly TimelineClip[], cost: (clip: TimelineClip) => number): number {
  return clips.reduce((sum, clip) => sum + cost(clip), 0)
}
