import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import {
  recordingDurationMs,
  renderingSeconds,
  transcriptionSeconds,
} from '../../src/media/piano/recording.ts'
import { pianoAudioEnhance } from './contract.ts'

/** Checks that there is sound, and prices it. */
export const plan: PlanOperation<typeof pianoAudioEnhance> = ({ file_id }, files) => {
  const lastsMs = recordingDurationMs(files.get(file_id))
  return {
    credits: creditsFor(pianoAudioEnhance.price, lastsMs),
    seconds: transcriptionSeconds(lastsMs) + renderingSeconds(lastsMs),
  }
}
