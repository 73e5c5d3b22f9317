import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { InputOf, PlanOperation } from '../../src/contract/operation.ts'
import { effectiveRhythm } from '../../src/media/cut/pauses.ts'
import { hasWords } from '../../src/media/speech/sentences.ts'
import { videoOralCut } from './contract.ts'

export type OralCutInput = InputOf<typeof videoOralCut>

/**
 * Expected seconds of work: start-up, per second of footage for recognition, for the analysis of its picture, and for
 * rendering it at 1080p.
 */
const workSeconds = { start: 5, recognition: 0.35, picture: 0.25, rendering: 0.6 }

/** Checks the script, the rhythm and that the footage has sound. Prices its duration. */
export const plan: PlanOperation<typeof videoOralCut> = (input, files) => {
  if (input.script !== undefined && !hasWords(input.script)) {
    throw new MediaError(6016, 'script: it has no letters or digits', {
      hint: 'Give what is said in the footage, or omit script to reconstruct it.',
    })
  }
  effectiveRhythm(input)
  const { name, facts } = files.get(input.file_id)
  if (!facts?.video) throw new MediaError(6014, `file_id: ${name} has no picture`, { hint: 'Give a video.' })
  if (facts.audio.length === 0) {
    throw new MediaError(6014, `file_id: ${name} has no sound`, {
      hint: 'Give footage in which someone speaks.',
    })
  }
  const length = facts.duration_ms / 1000
  const rendering = input.outputs.includes('video') ? workSeconds.rendering : 0
  const picture = input.visual_assist ? workSeconds.picture : 0
  return {
    credits: creditsFor(videoOralCut.price, facts.duration_ms),
    seconds:
      Math.round(10 * (workSeconds.start + (workSeconds.recognition + picture + rendering) * length)) / 10,
  }
}
