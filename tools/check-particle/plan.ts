import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { checkSourceSize } from '../../src/media/particle/source-size.ts'
import { checkParticle } from './contract.ts'

/** Measured on two cores: starting the browser, playing a particle to its end, and drawing its moments. */
const usualSeconds = 4

/** Checks that the source is an .html file of a size that is read at once; reads nothing of it. */
export const plan: PlanOperation<typeof checkParticle> = ({ html, file_id }, files) => {
  const file = file_id === undefined ? undefined : files.get(file_id)
  checkSourceSize({ file, html }, file ? 'file_id' : 'html')
  return { credits: creditsFor(checkParticle.price, 1), seconds: usualSeconds }
}
