import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { musicVisualizer } from './contract.ts'
import { isMoving, readRequest, type Given, type VisualizerInput } from './song.ts'

/** Checks the files against what their fields are for, and prices the music. */
export const plan: PlanOperation<typeof musicVisualizer> = (input, files) => {
  const given = readRequest(input, files)
  return {
    credits: creditsFor(musicVisualizer.price, given.seconds * 1000),
    seconds: expectedSeconds(input, given),
  }
}

/** Estimates for two cores, to be set by bench/visualizer.ts: pixels a second, seconds of sound a second, and seconds at the start. */
const speed = { pixels: 110e6, listen: 60, start: 1 }

/** A video behind all is decoded, drawn and encoded whole: an estimate too. */
const movingFactor = 1.6

/** Seconds of work to expect on two cores. */
export function expectedSeconds(
  { resolution }: VisualizerInput,
  { frames, seconds, background }: Given,
): number {
  const pixels = resolution.width * resolution.height * frames
  const factor = background && isMoving(background) ? movingFactor : 1
  return Math.round((speed.start + seconds / speed.listen + (factor * pixels) / speed.pixels) * 10) / 10
}
