import { creditsFor } from '../../src/contract/credits.ts'
import type { InputOf, PlanOperation } from '../../src/contract/operation.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import { timelineRenderSeconds } from '../../src/media/timeline/render-seconds.ts'
import { checkSources } from '../../src/media/timeline/sources.ts'
import { videoTimelineRender } from './contract.ts'

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
