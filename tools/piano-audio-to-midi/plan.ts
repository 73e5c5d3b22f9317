import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { recordingDurationMs, transcriptionSeconds } from '../../src/media/piano/recording.ts'
import { pianoAudioToMidi } from './contract.ts'

/** Checks that there is sound, and prices it. */
export const plan: PlanOperation<typeof pianoAudioToMidi> = ({ file_id }, files) => {
  const lastsMs = recordingDurationMs(files.get(file_id))
  return { credits: creditsFor(pianoAudioToMidi.price, lastsMs), seconds: transcriptionSeconds(lastsMs) }
}
