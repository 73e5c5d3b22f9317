/** Longest term, characters; longer ones are cut. */
const maxTermLength = 64

/** Characters of a text that are read. */
const maxTextLength = 20_000

/** Letters of scripts that are indexed by character. */
const cjkRuns =
  /(?:(?=[\p{L}\p{N}])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー])+/gu

const words = new Intl.Segmenter('en', { granularity: 'word' })

/**
 * Returns the terms of a text, in order and with repetitions: pairs of neighbouring characters, then the single ones, of
 * Chinese, Japanese and Korean, and words of other scripts in lower case, without accents and the plural s. Terms consist of
 * letters and digits.
 */
export function textTerms(text: string): string[] {
  return readTerms(text, (run) => [...pairs(run), ...run])
}

/** Returns the terms that a query requires: as `textTerms`, but single characters only where they stand alone. */
export function queryTerms(text: string): string[] {
  const terms = readTerms(text, (run) => (run.length === 1 ? [...run] : pairs(run)))
  const content = terms.filter((term) => !functionWords.has(term))
  return content.length > 0 ? content : terms
}

/** English words without a content of their own. They count only in a query of nothing else. */
const functionWords = new Set(
  'a an and are at by for from in is it of on or that the this to with find show me picture video'.split(' '),
)

function readTerms(text: string, termsOfRun: (run: readonly string[]) => string[]): string[] {
  const plain = normalizeText(text)
  const terms: string[] = []
  let at = 0
  for (const { 0: run, index } of plain.matchAll(cjkRuns)) {
    terms.push(...wordTerms(plain.slice(at, index)), ...termsOfRun([...run]))
    at = index + run.length
  }
  return [...terms, ...wordTerms(plain.slice(at))]
}

/** Unifies width, case and accents. Marks of Japanese sounds stay, as they distinguish words. */
function normalizeText(text: string): string {
  return text
    .slice(0, maxTextLength)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFKC')
    .toLowerCase()
}

function pairs(run: readonly string[]): string[] {
  return run.slice(1).map((character, index) => `${run[index]}${character}`)
}

function wordTerms(text: string): string[] {
  // The segmenter joins words at underscores.
  return [...words.segment(text.replaceAll('_', ' '))].flatMap(({ segment, isWordLike }) => {
    const letters = segment.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '')
    return isWordLike && letters !== '' ? [withoutPlural(letters).slice(0, maxTermLength)] : []
  })
}

/** Singular words whose s is part of them, beyond those on ss, us and is. */
const singulars = new Set(['lens', 'news'])

/**
 * Removes the plural s of words of at least four letters, but not the s of "glass", "bus" and "this", and the e after sounds
 * that need one before it, also in the singular: "beaches" and "beach", "caches" and "cache" are one term.
 */
function withoutPlural(word: string): string {
  if (singulars.has(word)) return word
  const singular = /^[a-z]{2,}[^sui\W\d_]s$/.test(word) ? word.slice(0, -1) : word
  return /^[a-z]+(?:ss|us|ns|x|ch|sh|zz)e$/.test(singular) ? singular.slice(0, -1) : singular
}
