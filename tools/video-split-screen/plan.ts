import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { canvasSize } from '../../src/media/layout/canvas.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import { videoSplitScreen } from './contract.ts'
import {
  outputRate,
  selectClips,
  type SelectedClip,
  selectLayout,
  shortestMs,
  type SplitScreenInput,
} from './selection.ts'

/** Validates clips, layout and limits against the probed files. Prices the shortest range. */
export const plan: PlanOperation<typeof videoSplitScreen> = (input, files) => {
  const clips = selectClips(input, files)
  // Whether a layout fits depends on the number of clips only, so any seed can be used here.
  selectLayout(input, clips, 0)
  const durationMs = shortestMs(clips)
  return {
    credits: creditsFor(videoSplitScreen.price, durationMs),
    seconds: splitScreenSeconds(input, clips),
  }
}

/** Throughput on two cores, pixels per second (bench/split-screen.ts). */
const splitScreenThroughput = { decodeAndScale: 600e6, encode: 125e6 }

/** Time until the first frame, seconds. */
const startSeconds = 0.5

/** Returns the estimated duration of the work on two cores, seconds: decoding and scaling of all sources, one encoding. */
export function splitScreenSeconds(input: SplitScreenInput, clips: readonly SelectedClip[]): number {
  const rate = hertz(outputRate(clips.map(({ video }) => video)))
  const canvas = canvasSize(input.output_ratio, input.quality)
  const decodedPerSecond = clips.reduce(
    (sum, { video }) => sum + video.coded_width * video.coded_height * Math.max(1, hertz(video.frame_rate)),
    0,
  )
  const workPerSecond =
    decodedPerSecond / splitScreenThroughput.decodeAndScale +
    (canvas.width * canvas.height * rate) / splitScreenThroughput.encode
  return Math.round((startSeconds + (workPerSecond * shortestMs(clips)) / 1000) * 10) / 10
}
