import { creditsFor } from '../../src/contract/credits.ts'
import type { InputOf, PlanOperation } from '../../src/contract/operation.ts'
import { checkClipRecording } from '../../src/media/shorts/check-recording.ts'
import { videoLong2short } from './contract.ts'

export type Long2shortInput = InputOf<typeof videoLong2short>

/**
 * Expected seconds of work: start-up and selection, and per second of footage for recognition, for the levels of a given
 * transcript's footage, for the framing of clips, and for rendering them at 1080p. Clips are a third of the footage.
 */
const workSeconds = { start: 10, recognition: 0.35, levels: 0.01, framing: 0.1, rendering: 0.3 }

/** Checks that the video has sound to recognise, and the given transcript as far as its times. Prices its duration. */
export const plan: PlanOperation<typeof videoLong2short> = (input, files) => {
  const { facts, isGiven } = checkClipRecording(input, files)
  const length = facts.duration_ms / 1000
  const hasPictures = input.outputs.includes('video') || input.outputs.includes('project')
  const perSecond =
    (isGiven ? workSeconds.levels : workSeconds.recognition) +
    (hasPictures ? workSeconds.framing : 0) +
    (input.outputs.includes('video') ? workSeconds.rendering : 0)
  return {
    credits: creditsFor(videoLong2short.price, facts.duration_ms),
    seconds: Math.round(10 * (workSeconds.start + perSecond * length)) / 10,
  }
}
