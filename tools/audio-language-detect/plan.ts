import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { audioLanguageDetect } from './contract.ts'

/** Seconds of a recording that are heard (contract 3, 4.5). */
export const detectionWindow = 30

/** Seconds of work on two cores: the model is loaded, hears 30 s whatever there are, and answers. */
const expectedSeconds = 4

/** Checks that there is something to hear, and prices it. */
export const plan: PlanOperation<typeof audioLanguageDetect> = ({ file_id }, files) => {
  const { name, facts } = files.get(file_id)
  const length = facts?.audio[0]?.duration_ms ?? 0
  if (length <= 0) throw noSoundError(name)
  return { credits: creditsFor(audioLanguageDetect.price, 1), seconds: expectedSeconds }
}

/** The error of a file in which nothing can be heard. */
export function noSoundError(name: string): MediaError {
  return new MediaError(6016, `file_id: ${name} has no sound`, {
    hint: 'Give audio, or a video whose sound can be heard.',
  })
}
