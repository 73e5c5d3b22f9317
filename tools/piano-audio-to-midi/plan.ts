import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import {
  recordingDurationMs,
  secondsWithPianoModels,
  transcriptionSeconds,
} from '../../src/media/piano/recording.ts'
import { pianoAudioToMidi } from './contract.ts'

/** Checks the duration of the sound. Returns price and expected seconds. */
export const plan: PlanOperation<typeof pianoAudioToMidi> = ({ file_id }, files) => {
  const durationMs = recordingDurationMs(files.get(file_id))
  return {
    credits: creditsFor(pianoAudioToMidi.price, durationMs),
    seconds: transcriptionSeconds(durationMs),
    secondsWith: secondsWithPianoModels(durationMs),
  }
}
