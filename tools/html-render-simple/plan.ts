import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { htmlRenderSimple } from './contract.ts'
import { coveredFrames, type HtmlRenderInput, schedule, type Schedule } from './schedule.ts'
import { frameTime } from '../../src/media/frame-rate.ts'

/** Validates tracks, assets and lengths against the probed files, and computes the price. Particles are read when the task runs. */
export const plan: PlanOperation<typeof htmlRenderSimple> = (input, files) => {
  const planned = schedule(input, files)
  const durationMs = Math.round(frameTime(planned.frames, planned.rate) * 1000)
  return {
    credits: creditsFor(htmlRenderSimple.price, durationMs),
    seconds: expectedRenderSeconds(input, planned),
  }
}

/** Measured on two cores (bench/html-render.ts): pixels per second, and seconds before the first frame. */
const renderSpeed = { capture: 30e6, encode: 100e6, start: 2 }

/** Estimated seconds of work on two cores: frames with particles are captured, and all frames are encoded. */
export function expectedRenderSeconds(
  { composition }: HtmlRenderInput,
  { beats, frames, rate }: Schedule,
): number {
  const { width, height } = composition.video_size
  const drawn = coveredFrames(
    beats.map(({ beat }) => beat),
    { rate, frames },
  ).reduce((sum, { first, end }) => sum + end - first, 0)
  const work = (drawn / renderSpeed.capture + frames / renderSpeed.encode) * width * height
  return Math.round((renderSpeed.start + work) * 10) / 10
}
