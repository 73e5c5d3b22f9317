import { join } from 'node:path'
import type { RunOperation } from '../../src/contract/operation.ts'
import { renderTimeline } from '../../src/engines/timeline/render.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import type { videoTimelineRender } from './contract.ts'

/** Renders the timeline to an mp4 and keeps it. */
export const run: RunOperation<typeof videoTimelineRender> = async (input, context) => {
  const timeline = readGtrk(input)
  const path = join(context.scratch, 'timeline.mp4')
  const notes = await renderTimeline(timeline, { ...context, path })
  const { width, height, seconds } = timeline
  return {
    ...context.keep({ path, name: `timeline-${width}x${height}-${Math.round(seconds)}s.mp4` }),
    duration: seconds,
    video_size: [width, height],
    ...(notes.length > 0 ? { notes } : {}),
  }
}
