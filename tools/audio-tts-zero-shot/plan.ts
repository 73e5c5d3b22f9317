import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { referenceSoundSeconds } from '../../src/media/speech/reference-duration.ts'
import { estimateSpeechSeconds } from '../../src/media/speech/sentences.ts'
import { audioTtsZeroShot } from './contract.ts'

/**
 * Expected seconds of work: start-up; per second of the reference (analysis); per second of speech, which is
 * synthesized in about real time and recognised in half of that.
 */
const workSeconds = { start: 8, reference: 0.02, speech: 1.5 }

/** Checks the duration of the reference. Returns price and expected seconds. */
export const plan: PlanOperation<typeof audioTtsZeroShot> = ({ ref_file_id, text }, files) => {
  const length = referenceSoundSeconds(files.get(ref_file_id))
  const seconds =
    workSeconds.start + workSeconds.reference * length + workSeconds.speech * estimateSpeechSeconds(text)
  return {
    credits: creditsFor(audioTtsZeroShot.price, [...text].length),
    seconds: Math.round(seconds * 10) / 10,
  }
}
