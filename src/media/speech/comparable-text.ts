/** Pattern of a letter of scripts whose characters are compared one by one. */
export const characterPattern = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆]`

/** Text to compare, and where its characters come from. */
export interface ComparableText {
  /** The text in lower case and normalised width (NFKC). */
  readonly plain: string
  /** Range of the original text, in UTF-16 units, of a range of the plain text that is not empty. */
  origin(from: number, to: number): { readonly from: number; readonly to: number }
}

/** Normalises case and width of a text (NFKC), with offsets into the original. */
export function comparableText(text: string): ComparableText {
  const lower = text.toLowerCase()
  if (lower.length === text.length && lower.normalize('NFKC') === lower)
    return { plain: lower, origin: (from, to) => ({ from, to }) }
  let plain = ''
  const [starts, ends]: [number[], number[]] = [[], []]
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    const letters = segment.normalize('NFKC').toLowerCase().normalize('NFKC')
    plain += letters
    while (starts.length < plain.length) {
      starts.push(index)
      ends.push(index + segment.length)
    }
  }
  return { plain, origin: (from, to) => ({ from: starts[from] ?? 0, to: ends[to - 1] ?? 0 }) }
}
