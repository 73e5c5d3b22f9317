import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { htmlRenderSimple } from './contract.ts'
import { coveredFrames, type HtmlRenderInput, schedule, type Schedule } from './schedule.ts'
import { frameTime } from '../../src/media/frame-rate.ts'

/** Checks tracks, assets and lengths against the probed files, and prices the result's length. Reads no particle: that is the worker's. */
export const plan: PlanOperation<typeof htmlRenderSimple> = (input, files) => {
  const planned = schedule(input, files)
  const durationMs = Math.round(frameTime(planned.frames, planned.rate) * 1000)
  return {
    credits: creditsFor(htmlRenderSimple.price, durationMs),
    seconds: expectedRenderSeconds(input, planned),
  }
}

/** Measured on two cores (bench/html-render.ts): pixels a second, and seconds before the first frame. */
const renderSpeed = { capture: 30e6, encode: 100e6, start: 2 }

/** Seconds of work to expect on two cores: every frame is encoded, and those with particles are drawn first. */
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
