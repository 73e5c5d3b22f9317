import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { recordingMs } from '../../src/media/piano/recording.ts'
import { hearingSeconds } from '../../src/media/piano/work.ts'
import { pianoAudioToMidi } from './contract.ts'

/** Checks that there is sound, and prices it. */
export const plan: PlanOperation<typeof pianoAudioToMidi> = ({ file_id }, files) => {
  const lastsMs = recordingMs(files.get(file_id))
  return { credits: creditsFor(pianoAudioToMidi.price, lastsMs), seconds: hearingSeconds(lastsMs) }
}
