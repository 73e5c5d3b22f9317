import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { audioLanguageDetect } from './contract.ts'

/** Seconds of a recording that are analysed (contract 3, 4.5). */
export const detectionWindow = 30

/** Seconds of work on two cores: loading the model, and one pass over 30 s, to which shorter sound is padded. */
const expectedSeconds = 4

/** Checks that the file has sound. Returns price and expected seconds. */
export const plan: PlanOperation<typeof audioLanguageDetect> = ({ file_id }, files) => {
  const { name, facts } = files.get(file_id)
  const length = facts?.audio[0]?.duration_ms ?? 0
  if (length <= 0) throw noSoundError(name)
  return { credits: creditsFor(audioLanguageDetect.price, 1), seconds: expectedSeconds }
}

/** Error for a file without sound. */
export function noSoundError(name: string): MediaError {
  return new MediaError(6016, `file_id: ${name} has no sound`, {
    hint: 'Give audio, or a video with sound.',
  })
}
