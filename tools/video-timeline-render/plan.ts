import { creditsFor } from '../../src/contract/credits.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFiles, InputOf, PlanOperation } from '../../src/contract/operation.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import type { Timeline, TimelineClip } from '../../src/media/timeline/timeline.ts'
import { videoTimelineRender } from './contract.ts'
import { checkSources } from './sources.ts'

export type TimelineInput = InputOf<typeof videoTimelineRender>

/** Checks the timeline against its rules and the probed files, and prices the whole output. */
export const plan: PlanOperation<typeof videoTimelineRender> = (input, files) => {
  const timeline = readGtrk(input)
  checkSources(timeline, files)
  return {
    credits: creditsFor(videoTimelineRender.price, Math.round(timeline.seconds * 1000)),
    seconds: expectedSeconds(timeline, files),
  }
}

/**
 * What two cores do: seconds for the whole, for each clip and for each second of sound, and pixels a second. Of pictures the middle between such with grain and without.
 */
const measured = {
  start: 0.6,
  pictureClip: 0.03,
  soundClip: 0.02,
  decodeAndScale: 250e6,
  /** Of pictures that only lead from a key frame to what is shown. */
  decode: 330e6,
  /** Such pictures in each clip: what a decoder does ahead, and fills with pictures that it keeps. */
  ahead: 15,
  encode: 90e6,
  encodeBlack: 280e6,
  /** Of the mix: limiting and encoding it. */
  mixed: 0.035,
  /** Of each clip: decoding it. */
  heard: 0.007,
  /** Of a clip at another speed that keeps its pitch. */
  pitched: 0.03,
}

/** Seconds of work to expect on two cores, held against real ones by bench/timeline.ts. */
export function expectedSeconds(timeline: Timeline, files: RequestFiles): number {
  const { width, height, frames, rate, seconds, picture, sound } = timeline
  const decoded = sumOver(picture, ({ material, source }) => {
    const video = files.get(material).facts?.video
    return pixelsPerSecond(video) * (source.to - source.from)
  })
  const passed = picture.reduce((sum, clip, index) => {
    const video = files.get(clip.material).facts?.video
    const way = pixelsPerSecond(video) * skippedSeconds(clip, picture[index - 1], video?.seek_ms)
    return sum + way + measured.ahead * codedPixels(video)
  }, 0)
  const shown = Math.min(
    frames,
    sumOver(picture, ({ track }) => (track.to - track.from) * rate),
  )
  const heard = sumOver(sound.flat(), ({ source, speed, keepPitch }) => {
    const retimed = keepPitch && speed !== 1 ? measured.pitched : 0
    return measured.soundClip + (measured.heard + retimed) * (source.to - source.from)
  })
  const expected =
    measured.start +
    measured.pictureClip * picture.length +
    decoded / measured.decodeAndScale +
    passed / measured.decode +
    width * height * (shown / measured.encode + (frames - shown) / measured.encodeBlack) +
    heard +
    measured.mixed * seconds
  return Math.round(expected * 10) / 10
}

function pixelsPerSecond(video: VideoFacts | null | undefined): number {
  const { num, den } = video?.frame_rate ?? { num: 0, den: 1 }
  return codedPixels(video) * (num > 0 ? num / den : 30)
}

function codedPixels(video: VideoFacts | null | undefined): number {
  return video ? video.coded_width * video.coded_height : 0
}

/** Seconds of a file that are decoded only to come to a clip: from the key frame before it, or from the clip before. */
function skippedSeconds({ material, source }: TimelineClip, before?: TimelineClip, seekMs = 0): number {
  const hole = before?.material === material ? source.from - before.source.to : -1
  return Math.min(seekMs / 1000, source.from, hole < 0 ? Infinity : hole)
}

function sumOver(clips: readonly TimelineClip[], cost: (clip: TimelineClip) => number): number {
  return clips.reduce((sum, clip) => sum + cost(clip), 0)
}
