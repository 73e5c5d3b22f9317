import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { InputOf, Plan, PlanOperationWithTexts } from '../../src/contract/operation.ts'
import { subtitleLimits } from '../../src/media/subtitles/check.ts'
import { subtitleFormat } from '../../src/media/subtitles/subtitle-format.ts'
import { assOnlyFields, subtitleTranslate } from './contract.ts'
import { countTranslatable } from './check-file.ts'

type Input = InputOf<typeof subtitleTranslate>

/** Checks the kind of the file, its size, and that fields of ass output come with such. */
export const plan: PlanOperationWithTexts<typeof subtitleTranslate> = async (input, files, readText) => {
  const { name, size } = files.get(input.file_id)
  const format = subtitleFormat(name, 'file_id')
  if (input.output_format === undefined) checkLook(input, format)
  if (size > subtitleLimits.bytes) {
    throw new MediaError(6016, `file_id: ${name} is larger than 8 MB`, {
      hint: 'Split it into several files.',
    })
  }
  const check = { bytes: await readText(input.file_id), name, format, language: input.language }
  return planned(countTranslatable(check))
}

/** Letters per second of common small models on one graphics card, with two concurrent questions. */
const speed = 60

function planned(letters: number): Plan {
  return {
    credits: creditsFor(subtitleTranslate.price, letters),
    seconds: Math.round(4 + letters / speed),
  }
}

function checkLook(input: Input, format: 'srt' | 'ass'): void {
  if (format === 'ass') return
  const given = assOnlyFields.filter((field) => input[field] !== undefined)
  if (given.length === 0) return
  throw new MediaError(6016, `${given.join(', ')}: only with ass output, and this is srt`, {
    hint: 'Give output_format ass, or leave these out.',
  })
}
