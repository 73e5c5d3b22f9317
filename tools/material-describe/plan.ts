import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { describeSize } from '../../src/contract/format.ts'
import { maxNamedImageBytes } from '../../src/contract/inline-image.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { checkStillImage } from '../../src/media/image/still-image.ts'
import { materialDescribe } from './contract.ts'

/** Expected seconds: start, and per image with a common model and two concurrent questions. */
const workSeconds = { start: 4, image: 4 }

/** Checks size and kind of the files, and prices the images. */
export const plan: PlanOperation<typeof materialDescribe> = ({ input }, files) => {
  for (const [index, { file_id }] of input.entries()) {
    if (file_id === undefined) continue
    const file = files.get(file_id)
    const field = `input[${index}].file_id`
    checkStillImage(file, { field })
    if (file.size <= maxNamedImageBytes) continue
    const [size, most] = [describeSize(file.size), describeSize(maxNamedImageBytes)]
    throw new MediaError(6031, `${field}: ${file.name} has ${size}, and at most ${most} are allowed`)
  }
  return {
    credits: creditsFor(materialDescribe.price, input.length),
    seconds: workSeconds.start + workSeconds.image * input.length,
  }
}
