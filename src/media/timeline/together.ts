import { MediaError } from '../../contract/errors.ts'
import { summarizeList } from '../../contract/format.ts'

/** Maximum number of errors listed in one message. */
const maxListed = 20

/** Throws one error that combines all errors with the code of the first. Does nothing if there are none. */
export function throwCombined(errors: Iterable<MediaError>): void {
  const [first, ...others] = errors
  if (!first) return
  const same = [first, ...others.filter(({ code }) => code === first.code)]
  if (same.length === 1) throw first
  const told = same.map(({ message }) => message)
  throw new MediaError(first.code, summarizeList(told, maxListed), {
    hint: `Correct them all, then send it again. Of the first: ${first.hint}`,
  })
}
