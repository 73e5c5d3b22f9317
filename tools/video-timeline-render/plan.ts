import { creditsFor } from '../../src/contract/credits.ts'
import type { GivenFiles, InputOf, PlanOperation } from '../../src/contract/operation.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
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

/** Measured on two cores (bench/timeline.ts): pixels a second, clips a second, and seconds for the whole. */
const speed = { decodeAndScale: 600e6, encode: 140e6, clips: 12, start: 0.6 }

/** Seconds of work to expect on two cores: decoding what is shown, one encode, and opening each clip. */
export function expectedSeconds(timeline: Timeline, files: GivenFiles): number {
  const { width, height, frames, picture, sound } = timeline
  const decoded = picture.reduce((sum, { material, source }) => {
    const video = files.get(material).facts?.video
    if (!video) return sum
    const { num, den } = video.frame_rate
    const rate = num > 0 ? num / den : 30
    return sum + video.coded_width * video.coded_height * rate * (source.to - source.from)
  }, 0)
  const clips = picture.length + sound.reduce((sum, track) => sum + track.length, 0)
  const seconds =
    speed.start +
    decoded / speed.decodeAndScale +
    (width * height * frames) / speed.encode +
    clips / speed.clips
  return Math.round(seconds * 10) / 10
}
