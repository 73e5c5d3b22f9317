import { MediaError } from '../../contract/errors.ts'

/** More at once help nobody. */
const mostTold = 20

/** Throws the errors of many clips as one, where there are any: those of the first one's code. */
export function throwTogether(errors: Iterable<MediaError>): void {
  const [first, ...others] = errors
  if (!first) return
  const same = [first, ...others.filter(({ code }) => code === first.code)]
  if (same.length === 1) throw first
  const told = same.slice(0, mostTold).map(({ message }) => message)
  const more = same.length - told.length
  throw new MediaError(first.code, told.join('; ') + (more > 0 ? `; and ${more} more` : ''), {
    hint: `Correct them all, then send it again. Of the first: ${first.hint}`,
  })
}
