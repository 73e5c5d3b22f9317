import { MediaError } from '../../src/contract/errors.ts'
import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { maxParticleBytes } from '../../src/media/particle/read.ts'
import { checkParticle } from './contract.ts'

/** Measured on two cores: starting the browser, playing a particle to its end, and drawing its moments. */
const usualSeconds = 4

/** Checks that the source is an .html file of a size that is read at once; reads nothing of it. */
export const plan: PlanOperation<typeof checkParticle> = ({ html, file_id }, files) => {
  const file = file_id === undefined ? undefined : files.get(file_id)
  if (file && !/\.html$/i.test(file.name)) {
    throw new MediaError(6014, `file_id: ${file.name} is not an .html file`, {
      hint: 'Save the particle as .html and use that.',
    })
  }
  if ((file?.size ?? html?.length ?? 0) > maxParticleBytes) {
    throw new MediaError(6016, 'the particle has more than 16 MiB', {
      hint: 'Scale its pictures down to the size they are shown in, or save them as JPEG or WebP.',
    })
  }
  return { credits: creditsFor(checkParticle.price, 1), seconds: usualSeconds }
}
