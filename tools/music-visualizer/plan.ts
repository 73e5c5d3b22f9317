import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { musicVisualizer } from './contract.ts'
import {
  isVideoFile,
  readVisualizerRequest,
  type VisualizerRequest,
  type VisualizerInput,
} from './request.ts'

/** Checks the files against what their fields are for, and prices the music. */
export const plan: PlanOperation<typeof musicVisualizer> = (input, files) => {
  const given = readVisualizerRequest(input, files)
  return {
    credits: creditsFor(musicVisualizer.price, given.seconds * 1000),
    seconds: expectedVisualizerSeconds(input, given),
  }
}

/**
 * Processor time, from runs of 6 s of music at 640x360 and 1920x1080: at the start; for a second of sound (heard,
 * followed and encoded); and for a frame whatever its size.
 */
const cpuSeconds = { start: 1.2, sound: 0.12, frame: 0.006 }

/**
 * Of a pixel of the result, nanoseconds, by 20 s of each template at 1080p: encoding takes 5, the rest is drawing, and
 * working out or scaling what has changed.
 */
const pixelNs: Readonly<Record<VisualizerInput['template_id'], number>> = {
  aurora: 11,
  nowplaying: 5,
  ring: 9,
  ridge: 12,
  bars: 11,
  pulsar: 11,
  lissajous: 14,
  vinyl: 11,
  shockwave: 13,
}

/** A video behind all is read, drawn and encoded whole: nanoseconds of a pixel, blurred or not; seconds of a frame. */
const videoBackgroundCost = { blurred: 33, sharp: 57, frame: 0.008 }

/** Such seconds in one of an idle machine of two cores: where others share them, each is dearer. */
const cpuSecondsPerSecond = 1.8

/** Seconds of work to expect on two cores. */
export function expectedVisualizerSeconds(
  { resolution, template_id, blur }: VisualizerInput,
  { frames, seconds: length, background }: VisualizerRequest,
): number {
  const moves = background !== undefined && isVideoFile(background)
  const ofPixel = moves
    ? blur > 0
      ? videoBackgroundCost.blurred
      : videoBackgroundCost.sharp
    : pixelNs[template_id]
  const ofFrame =
    cpuSeconds.frame +
    (moves ? videoBackgroundCost.frame : 0) +
    ofPixel * 1e-9 * resolution.width * resolution.height
  const spent = cpuSeconds.start + cpuSeconds.sound * length + ofFrame * frames
  return Math.round((10 * spent) / cpuSecondsPerSecond) / 10
}
