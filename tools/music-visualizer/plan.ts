import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { musicVisualizer } from './contract.ts'
import {
  isVideoFile,
  readVisualizerRequest,
  type VisualizerRequest,
  type VisualizerInput,
} from './request.ts'

/** Validates the files and computes the price from the length of the music. */
export const plan: PlanOperation<typeof musicVisualizer> = (input, files) => {
  const request = readVisualizerRequest(input, files)
  return {
    credits: creditsFor(musicVisualizer.price, request.seconds * 1000),
    seconds: expectedVisualizerSeconds(input, request),
  }
}

/**
 * Processor seconds, measured with 6 s of music at 640x360 and 1920x1080: for start-up, per second of sound (decoded
 * twice, analysed and encoded), and per frame of any size.
 */
const cpuSeconds = { start: 1.2, sound: 0.12, frame: 0.006 }

/**
 * Processor nanoseconds per pixel of the result, measured with 20 s of each template at 1080p. Encoding takes 5; the
 * rest is drawing and converting or scaling changed pixels.
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

/** Cost of a background video, whose whole frames are decoded, drawn and encoded: ns per pixel if blurred or not, s per frame. */
const videoBackgroundCost = { blurred: 33, sharp: 57, frame: 0.008 }

/** Processor seconds per second of an idle machine with two cores; a busy machine provides fewer. */
const cpuSecondsPerSecond = 1.8

/** Estimated seconds of work on two cores. */
export function expectedVisualizerSeconds(
  { resolution, template_id, blur }: VisualizerInput,
  { frames, seconds: length, background }: VisualizerRequest,
): number {
  const moves = background !== undefined && isVideoFile(background)
  const nsPerPixel = moves
    ? blur > 0
      ? videoBackgroundCost.blurred
      : videoBackgroundCost.sharp
    : pixelNs[template_id]
  const secondsPerFrame =
    cpuSeconds.frame +
    (moves ? videoBackgroundCost.frame : 0) +
    nsPerPixel * 1e-9 * resolution.width * resolution.height
  const cpuTotal = cpuSeconds.start + cpuSeconds.sound * length + secondsPerFrame * frames
  return Math.round((10 * cpuTotal) / cpuSecondsPerSecond) / 10
}
