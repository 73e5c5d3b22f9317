import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import {
  recordingDurationMs,
  renderingSeconds,
  secondsWithPianoModels,
  transcriptionSeconds,
} from '../../src/media/piano/recording.ts'
import { pianoAudioEnhance } from './contract.ts'

/** Checks the duration of the sound. Returns price and expected seconds. */
export const plan: PlanOperation<typeof pianoAudioEnhance> = ({ file_id }, files) => {
  const durationMs = recordingDurationMs(files.get(file_id))
  const rendering = renderingSeconds(durationMs)
  return {
    credits: creditsFor(pianoAudioEnhance.price, durationMs),
    seconds: transcriptionSeconds(durationMs) + rendering,
    secondsWith: secondsWithPianoModels(durationMs, rendering),
  }
}
