/** No file and no value has a longer name. */
const maxNameLength = 1000

/** Longest name that is compared letter by letter. */
const maxComparedLength = 100

/**
 * The name among some that was probably meant by another: the same but for its case, its ending or what separates
 * its words, else one that is a slip or two away.
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  if (given.length > maxNameLength) return undefined
  const wanted = normalizeName(given)
  let nearest: string | undefined
  let least = Math.min(3, Math.ceil(wanted.length / 2))
  for (const name of names) {
    const stem = normalizeName(name)
    if (stem === wanted) return name
    if (
      Math.max(stem.length, wanted.length) > maxComparedLength ||
      Math.abs(stem.length - wanted.length) >= least
    )
      continue
    const slips = editDistance(stem, wanted)
    if (slips >= least) continue
    least = slips
    nearest = name
  }
  return nearest
}

/** What of a name people take for the same. */
function normalizeName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/(?<=.)\.[a-z\d]{1,5}$/, '')
    .replaceAll(/[\s_-]+/g, ' ')
}

/** Letters to put in, take out or change until one text is the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1]
    for (let index = 0; index < other.length; index += 1) {
      const changed = (row[index] ?? 0) + (one[at] === other[index] ? 0 : 1)
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
