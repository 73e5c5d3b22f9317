import { sentenceParts } from '../speech/sentences.ts'
import { joinWords } from '../speech/words.ts'
import { plainModelText } from '../subtitles/control-characters.ts'

/** What a clip is about. */
export interface ClipMetadata {
  readonly title: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly score_reason: string
  /** Words or phrases of the clip. */
  readonly highlight_words: readonly string[]
  readonly genres: readonly string[]
  readonly moods: readonly string[]
  readonly themes: readonly string[]
}

/** Longest texts, characters, and most entries of lists. */
const longest = { title: 120, summary: 600, score_reason: 300, entry: 60 } as const
const most = { tags: 8, highlight_words: 8, genres: 3, moods: 3, themes: 3 } as const

/** Returns a description as a model gave it, as plain text on one line each, without repetitions, within bounds. */
export function cleanDescription(given: ClipMetadata): ClipMetadata {
  const list = (name: keyof typeof most) =>
    [...new Set(given[name].map((text) => shortened(plain(text).replace(/^#/u, ''), longest.entry)))]
      .filter((text) => text !== '')
      .slice(0, most[name])
  return {
    title: shortened(plain(given.title), longest.title),
    summary: shortened(plain(given.summary), longest.summary),
    score_reason: shortened(plain(given.score_reason), longest.score_reason),
    ...{ tags: list('tags'), highlight_words: list('highlight_words') },
    ...{ genres: list('genres'), moods: list('moods'), themes: list('themes') },
  }
}

const plain = (text: string) => plainModelText(text).replaceAll(/\s+/gu, ' ').trim()

/** Longest title of a sentence, characters. */
const titleLength = 60

/** Describes a clip without a model: by its first sentences, and `words`, its distinctive ones. */
export function describeByText(text: string, words: readonly string[]): ClipMetadata {
  const sentences = sentenceParts(plain(text)).map((sentence) => sentence.trim())
  return {
    title: shortened((sentences[0] ?? '').replace(/[。.．｡]$/u, ''), titleLength),
    summary: shortened(joinWords(sentences.slice(0, 2)), longest.summary),
    tags: words,
    score_reason: 'Ranked by its words, questions, numbers and loudness, without a language model.',
    highlight_words: words,
    ...{ genres: [], moods: [], themes: [] },
  }
}

/** Returns a text of at most so many characters, cut after a word. */
export function shortened(text: string, length: number): string {
  const letters = [...text]
  if (letters.length <= length) return text
  const head = letters.slice(0, length - 1).join('')
  const space = head.lastIndexOf(' ')
  return `${(space > head.length / 2 ? head.slice(0, space) : head).trimEnd()}…`
}
