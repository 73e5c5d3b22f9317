import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { describeSize } from '../../src/contract/format.ts'
import { maxNamedImageBytes } from '../../src/contract/inline-image.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { materialEmbed } from './contract.ts'

/** Seconds of work on two cores: to load a model, and for each item. */
const loadingSeconds = 5
const imageSeconds = 0.5
const textSeconds = 0.2

/** Checks the sizes of image files. Returns price and expected seconds. Throws 6031. */
export const plan: PlanOperation<typeof materialEmbed> = ({ input }, files) => {
  for (const [index, { file_id }] of input.entries()) {
    if (file_id === undefined) continue
    const { name, size } = files.get(file_id)
    if (size > maxNamedImageBytes) throw tooLargeError(`input[${index}].file_id`, name, size)
  }
  const images = input.filter(({ text }) => text === undefined).length
  const seconds = loadingSeconds + images * imageSeconds + (input.length - images) * textSeconds
  return { credits: creditsFor(materialEmbed.price, images), seconds }
}

function tooLargeError(field: string, name: string, size: number): MediaError {
  const [has, most] = [describeSize(size), describeSize(maxNamedImageBytes)]
  return new MediaError(6031, `${field}: ${name} has ${has}, and at most ${most} are allowed`, {
    hint: 'Scale the image down, or save it with more compression, and upload it again.',
  })
}
