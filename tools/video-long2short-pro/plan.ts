import { creditsFor } from '../../src/contract/credits.ts'
import type { InputOf, PlanOperation } from '../../src/contract/operation.ts'
import {
  assumedTextShare,
  framePixels,
  textSearchSeconds,
  treatmentSeconds,
} from '../../src/media/clean/cleaning-seconds.ts'
import { checkClipRecording } from '../../src/media/shorts/check-recording.ts'
import { videoLong2shortPro } from './contract.ts'

export type Long2shortProInput = InputOf<typeof videoLong2shortPro>

/**
 * Expected seconds of work: start-up and selection, and per second of the video for recognition, or for its levels only,
 * and per second of its clips for framing and for rendering them at 1080p.
 */
const workSeconds = { start: 10, recognition: 0.35, levels: 0.01, framing: 0.3, rendering: 1 }

/** Share of a video that becomes clips. */
const clipShare = 1 / 3

/** Checks that the video has sound to recognise, and the given transcript as far as its times. Prices its duration. */
export const plan: PlanOperation<typeof videoLong2shortPro> = (input, files) => {
  const { facts, isGiven } = checkClipRecording(input, files)
  const length = facts.duration_ms / 1000
  const clips = length * clipShare
  const spent =
    workSeconds.start +
    length * (isGiven ? workSeconds.levels : workSeconds.recognition) +
    clips * (workSeconds.framing + workSeconds.rendering / input.speed.factor) +
    (input.subtitle.purify_source && facts.video ? cleaningSeconds(facts.video, clips) : 0)
  return {
    credits: creditsFor(videoLong2shortPro.price, facts.duration_ms),
    seconds: Math.round(10 * spent) / 10,
  }
}

function cleaningSeconds(video: Parameters<typeof framePixels>[0], seconds: number): number {
  const pixels = framePixels(video, seconds)
  const treated = { treatment: 'inpainting', treatedShare: assumedTextShare } as const
  return textSearchSeconds(pixels) + treatmentSeconds(pixels, treated)
}
