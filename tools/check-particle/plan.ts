import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { checkSourceSize } from '../../src/media/particle/source-size.ts'
import { checkParticle } from './contract.ts'

/** Seconds measured on two cores: starts the browser, plays a particle and captures its moments. */
const usualSeconds = 4

/** Validates the type and size of the source without reading it. */
export const plan: PlanOperation<typeof checkParticle> = ({ html, file_id }, files) => {
  const file = file_id === undefined ? undefined : files.get(file_id)
  checkSourceSize({ file, html }, file ? 'file_id' : 'html')
  return { credits: creditsFor(checkParticle.price, 1), seconds: usualSeconds }
}
