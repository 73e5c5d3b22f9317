import { MediaError } from '../../contract/errors.ts'
import { summarizeList } from '../../contract/format.ts'

/** More at once help nobody. */
const maxListed = 20

/** Throws the errors of many clips as one, where there are any: those of the first one's code. */
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
